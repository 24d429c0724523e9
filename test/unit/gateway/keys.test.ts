import { createHash } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { parseKeyFile } from '../../../src/storage/access/keyFile.ts'
import type { KeyRecord } from '../../../src/storage/access/keyRecord.ts'
import { watchKeyFile } from '../../../src/storage/access/watchKeyFile.ts'
import { createSecret, hashSecret } from '../../../src/util/secretKey.ts'
import { openAccess, requestOf } from '../../support/accessScene.ts'

const PERIOD = 20
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')
const keysOf = (entries: readonly object[]) => parseKeyFile(JSON.stringify(entries), 'keys', 0)

t.test('the last part of the path is the key', async (t) => {
  const { admission, caller } = openAccess(keysOf([{ id: 'ada', hash: hashOf('secret-1') }]))
  for (const path of ['/secret-1', '/v1/secret-1', '/a/b/secret-1', '/secret-1/', '/secret%2D1']) {
    t.equal(caller(path).name, 'ada', path)
  }
  for (const path of ['/', '', '/secret-2', '/secret-1/x', '/SECRET-1', '/%', `/${hashOf('secret-1')}`]) {
    t.match(admission.admit(requestOf(path)), { kind: 'unauthorized' }, path)
  }
})

t.test('a key opens what it names', async (t) => {
  const { charge, caller } = openAccess(
    keysOf([
      { id: 'all', hash: hashOf('a') },
      { id: 'module', hash: hashOf('m'), modules: ['net', 'rsk'] },
      { id: 'method', hash: hashOf('n'), methods: ['eth_chainId', 'ext_getStorageBytesAt'] },
      { id: 'both', hash: hashOf('b'), modules: ['net'], methods: ['eth_chainId'] },
    ]),
  )
  const opens = (key: string, name: string) => charge(caller(`/${key}`), name) === null
  t.ok(opens('a', 'eth_call'))
  t.ok(opens('m', 'net_version'))
  t.ok(opens('m', 'rsk_getRawBlockHeaderByHash'))
  t.notOk(opens('m', 'eth_chainId'))
  t.ok(opens('n', 'eth_chainId'))
  t.ok(opens('n', 'rsk_getStorageBytesAt'), 'by another of its names')
  t.notOk(opens('n', 'net_version'))
  t.ok(opens('b', 'net_version'))
  t.ok(opens('b', 'eth_chainId'))
  t.notOk(opens('b', 'eth_call'))
  t.match(charge(caller('/n'), 'eth_call'), {
    message: 'the method eth_call does not exist/is not available',
  })
})

t.test('a key may have a form of reverts', async (t) => {
  const { caller } = openAccess(
    keysOf([
      { id: 'geth', hash: hashOf('g'), revertErrors: 'geth' },
      { id: 'any', hash: hashOf('a') },
    ]),
  )
  t.equal(caller('/g').reverts, 'geth')
  t.equal(caller('/a').reverts, null)
  t.throws(() => keysOf([{ id: 'odd', hash: hashOf('o'), revertErrors: 'parity' }]), {
    message: 'keys: key 1: revertErrors: one of reference, geth expected',
  })
})

t.test('a key may be for the pages of some origins', async (t) => {
  const { admission, caller } = openAccess(
    keysOf([{ id: 'page', hash: hashOf('p'), origins: ['https://app.example'] }]),
  )
  t.equal(caller('/p').name, 'page', 'no page at all')
  t.equal(caller('/p', { origin: 'https://app.example' }).name, 'page')
  const evil = requestOf('/p', { origin: 'https://evil.example' })
  t.match(admission.admit(evil), { kind: 'unauthorized' })
  t.match(admission.admit(evil), { kind: 'unauthorized' }, 'also when the path is remembered')
})

t.test('a key that was taken away ends with the list', async (t) => {
  const { book, admission, caller, charge } = openAccess(keysOf([{ id: 'ada', hash: hashOf('x') }]))
  const open = caller('/x')
  const closed: number[] = []
  open.opened({ end: (code) => closed.push(code) }, () => true)
  t.equal(charge(open, 'eth_chainId'), null)
  book.set([{ ...(book.stored[0] as KeyRecord), disabled: true }])
  admission.refresh()
  t.match(charge(open, 'eth_chainId'), { kind: 'unauthorized' })
  t.same(closed, [1008])
  t.match(admission.admit(requestOf('/x')), { kind: 'unauthorized' })
  t.match(admission.admit(requestOf('/')), { kind: 'unauthorized' }, 'a disabled key does not open the node')
})

t.test('WebSockets of pages end when their key is for other pages', async (t) => {
  const [first] = keysOf([{ id: 'page', hash: hashOf('p'), origins: ['https://app.example'] }]) as [KeyRecord]
  const { book, admission, caller } = openAccess([first])
  const who = caller('/p')
  const closed: string[] = []
  const open = (name: string, origin: string) =>
    who.opened(
      { end: (code) => closed.push(`${name} ${code}`) },
      (origins) => origin === '' || origins === null || origins.has(origin),
    )
  open('page', 'https://app.example')
  open('program', '')
  book.set([{ ...first, origins: new Set(['https://app.example', 'https://new.example']) }])
  admission.refresh()
  t.same(closed, [], 'still for this page')
  book.set([{ ...first, origins: new Set(['https://new.example']) }])
  admission.refresh()
  t.same(closed, ['page 1008'])
  open('late page', 'https://app.example')
  t.same(closed, ['page 1008', 'late page 1008'], 'one that was admitted before')
})

t.test('a secret that was replaced works for its grace, and shares the limits of the new one', async (t) => {
  const [ada] = keysOf([{ id: 'ada', hash: hashOf('old'), dailyQuota: 3 }]) as [KeyRecord]
  const { book, admission, clock, caller, charge } = openAccess([ada])
  const before = caller('/old')
  const closed: string[] = []
  before.opened({ end: (_code, reason) => closed.push(reason) }, () => true)
  const until = clock.wall + 5000
  book.set([{ ...ada, hash: Buffer.from(hashOf('new'), 'hex'), previous: { hash: ada.hash, until } }])
  admission.refresh()
  t.equal(caller('/old'), before)
  t.equal(caller('/new').name, 'ada')
  t.equal(charge(caller('/old'), 'eth_chainId'), null)
  t.equal(charge(caller('/new'), 'eth_chainId'), null)
  t.equal(caller('/new').account.used, caller('/old').account.used)
  t.same(closed, [])
  clock.wall = until
  admission.refresh()
  t.match(admission.admit(requestOf('/old')), { kind: 'unauthorized' })
  t.same(closed, ['the API key ended'])
  t.equal(caller('/new').name, 'ada')
})

t.test('whether a key is needed', async (t) => {
  const keys = keysOf([{ id: 'ada', hash: hashOf('x') }])
  t.equal(openAccess([]).caller('/').name, 'anybody')
  t.match(openAccess(keys).admission.admit(requestOf('/')), { kind: 'unauthorized' })
  t.match(openAccess([], { requireKey: 'always' }).admission.admit(requestOf('/')), { kind: 'unauthorized' })
  const optional = openAccess(keys, { requireKey: 'never' })
  t.equal(optional.caller('/x').name, 'ada')
  t.equal(optional.caller('/y').name, 'anybody')
})

t.test('where no key is needed, one that was revoked is refused all the same', async (t) => {
  const secret = createSecret()
  const key = parseKeyFile(`- {id: ada, hash: ${hashOf(secret)}}`, 'keys', 0)[0] as KeyRecord
  const old = { hash: hashSecret('old'), until: 0 }
  for (const path of [`/${secret}`, `/v1/${secret}/`, '/old']) {
    for (const keys of [[{ ...key, previous: old }], [{ ...key, previous: { ...old, until: 1e15 } }]]) {
      const revoked = keys.map((record) => ({ ...record, disabled: true }))
      const { admission } = openAccess(revoked, { requireKey: 'never' })
      t.match(admission.admit(requestOf(path)), { kind: 'unauthorized' }, `${path}, disabled`)
    }
  }
  const replaced = openAccess([{ ...key, previous: old }], { requireKey: 'never' })
  t.equal(replaced.caller(`/${secret}`).name, 'ada')
  t.match(replaced.admission.admit(requestOf('/old')), { kind: 'unauthorized' }, 'its time is over')
  const renewed = openAccess([{ ...key, previous: { ...old, until: 1e15 } }], { requireKey: 'never' })
  t.equal(renewed.caller('/old').name, 'ada', 'its time is not over')
  for (const keys of [[key], []]) {
    const { admission, caller } = openAccess(keys, { requireKey: 'never' })
    t.match(admission.admit(requestOf(`/${createSecret()}`)), { kind: 'unauthorized' }, 'of no key any more')
    for (const path of ['/', '/rpc', '/other']) t.equal(caller(path).name, 'anybody', path)
  }
  t.equal(openAccess([]).caller(`/${secret}`).name, 'anybody', 'a node without keys is open')
})

t.test('what is no list of keys', async (t) => {
  const hash = hashOf('x')
  for (const [text, reason] of [
    ['a: 1', /a list of keys expected/],
    ['- 5', /id and hash expected/],
    ['- id: a', /hash of 64 hex digits expected/],
    [`- hash: ${hash}`, /id expected/],
    [`- {id: a, hash: ${hash}, modules: eth}`, /modules: a list of texts expected/],
    [`- {id: a, hash: ${hash}, rate: fast}`, /rate: a whole number expected/],
    [`- {id: a, hash: ${hash}, burst: -1}`, /burst: a whole number expected/],
    [`- {id: "-", hash: ${hash}}`, /and not -/],
    [`- {id: a, hash: ${hash}}\n- {id: a, hash: ${hashOf('y')}}`, /the id a is there twice/],
    [`- {id: a, hash: ${hash}}\n- {id: b, hash: ${hash}}`, /the key of b is there twice/],
    ['- {id: "', /keys: /],
  ] as const) {
    t.throws(() => parseKeyFile(text, 'keys', 0), { code: 'KEYS_FILE', message: reason }, text)
  }
  t.throws(() => parseKeyFile('- {id: a, key: top-secret}', 'keys', 0), {
    code: 'KEYS_FILE',
    message: /^(?!.*top-secret).*$/,
  })
})

t.test('the file is read again when it changes, and an unusable one changes nothing', async (t) => {
  const path = join(t.testdir(), 'keys.yaml')
  const write = (text: string) => {
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
  }
  write(`- {id: ada, hash: ${hashOf('one')}}\n`)
  const events: string[] = []
  let keys: readonly KeyRecord[] = []
  const { close } = watchKeyFile(
    path,
    {
      onKeys: (read) => {
        keys = read
        events.push(read.map(({ id }) => id).join())
      },
      onFailure: (error) => events.push(error.name),
    },
    PERIOD,
  )
  t.teardown(close)
  t.same(events, ['ada'])
  write(`- {id: ada, hash: ${hashOf('two')}, rate: 5}\n- {id: bob, hash: ${hashOf('three')}}\n`)
  await waitFor(t, () => events.includes('ada,bob'))
  t.match(keys[0], {
    hash: Buffer.from(hashOf('two'), 'hex'),
    fromFile: true,
    fromFleet: false,
    limits: { rate: 5, burst: null },
  })
  write('nonsense')
  await waitFor(t, () => events.includes('KeyFileError'))
  t.same(events, ['ada', 'ada,bob', 'KeyFileError'])
  t.throws(() => watchKeyFile(`${path}.absent`, { onKeys: () => undefined, onFailure: () => undefined }), {
    code: 'KEYS_FILE',
  })
})

async function waitFor(t: Test, condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 250 && !condition(); tries += 1) await sleep(PERIOD)
  t.ok(condition())
}
