import { createHash } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Caller } from '../../../src/gateway/admission.ts'
import { createKeyedAdmission } from '../../../src/gateway/keys/keyedAdmission.ts'
import { parseKeyFile } from '../../../src/gateway/keys/keyFile.ts'
import { KeyRing } from '../../../src/gateway/keys/keyRing.ts'
import { watchKeyFile } from '../../../src/gateway/keys/watchKeyFile.ts'
import { RpcError } from '../../../src/rpc/errors.ts'
import { METHODS } from '../../../src/rpc/methods.ts'

const PERIOD = 20
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')
const method = (name: string) => {
  const found = METHODS.find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error(`no method ${name}`)
  return found
}

function admissionOf(entries: readonly object[]) {
  const ring = new KeyRing(parseKeyFile(JSON.stringify(entries), 'keys'))
  const admission = createKeyedAdmission(ring)
  const caller = (path: string, origin = ''): Caller => {
    const admitted = admission.admit({ path, origin })
    if (admitted instanceof RpcError) throw admitted
    return admitted
  }
  return { ring, admission, caller }
}

t.test('the last part of the path is the key', async (t) => {
  const { admission, caller } = admissionOf([{ id: 'ada', hash: hashOf('secret-1') }])
  for (const path of ['/secret-1', '/v1/secret-1', '/a/b/secret-1', '/secret-1/', '/secret%2D1']) {
    t.equal(caller(path).name, 'ada', path)
  }
  for (const path of ['/', '', '/secret-2', '/secret-1/x', '/SECRET-1', '/%', `/${hashOf('secret-1')}`]) {
    t.match(admission.admit({ path, origin: '' }), { kind: 'unauthorized' }, path)
  }
})

t.test('a key opens what it names', async (t) => {
  const { admission, caller } = admissionOf([
    { id: 'all', hash: hashOf('a') },
    { id: 'module', hash: hashOf('m'), modules: ['net', 'rsk'] },
    { id: 'method', hash: hashOf('n'), methods: ['eth_chainId', 'ext_getStorageBytesAt'] },
    { id: 'both', hash: hashOf('b'), modules: ['net'], methods: ['eth_chainId'] },
  ])
  const opens = (key: string, name: string) => admission.charge(caller(`/${key}`), method(name)) === null
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
  t.match(admission.charge(caller('/n'), method('eth_call')), {
    message: 'the method eth_call does not exist/is not available',
  })
})

t.test('a key may be for the pages of some origins', async (t) => {
  const { admission, caller } = admissionOf([
    { id: 'page', hash: hashOf('p'), origins: ['https://app.example'] },
  ])
  t.equal(caller('/p').name, 'page', 'no page at all')
  t.equal(caller('/p', 'https://app.example').name, 'page')
  t.match(admission.admit({ path: '/p', origin: 'https://evil.example' }), { kind: 'unauthorized' })
})

t.test('a key that was taken away ends with the list', async (t) => {
  const { ring, admission, caller } = admissionOf([{ id: 'ada', hash: hashOf('x') }])
  const open = caller('/x')
  t.equal(admission.charge(open, method('eth_chainId')), null)
  ring.replace([])
  t.match(admission.charge(open, method('eth_chainId')), { kind: 'unauthorized' })
})

t.test('what is no list of keys', async (t) => {
  const hash = hashOf('x')
  for (const [text, reason] of [
    ['a: 1', /a list of keys expected/],
    ['- 5', /id and hash expected/],
    ['- id: a', /hash of 64 hex digits expected/],
    [`- hash: ${hash}`, /id expected/],
    [`- {id: a, hash: ${hash}, modules: eth}`, /modules: a list of texts expected/],
    [`- {id: a, hash: ${hash}}\n- {id: a, hash: ${hashOf('y')}}`, /the id a is there twice/],
    [`- {id: a, hash: ${hash}}\n- {id: b, hash: ${hash}}`, /the key of b is there twice/],
    ['- {id: "', /keys: /],
  ] as const) {
    t.throws(() => parseKeyFile(text, 'keys'), { code: 'KEYS_FILE', message: reason }, text)
  }
  t.throws(() => parseKeyFile('- {id: a, key: top-secret}', 'keys'), {
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
  const { ring, close } = watchKeyFile(
    path,
    {
      onReload: (keys) => events.push(`${keys}`),
      onFailure: (error) => events.push(error.code),
    },
    PERIOD,
  )
  t.teardown(close)
  t.ok(ring.find('one'))
  write(`- {id: ada, hash: ${hashOf('two')}}\n- {id: bob, hash: ${hashOf('three')}}\n`)
  await waitFor(t, () => events.includes('2'))
  t.notOk(ring.find('one'))
  t.ok(ring.find('two'))
  write('nonsense')
  await waitFor(t, () => events.includes('KEYS_FILE'))
  t.ok(ring.find('three'))
  t.throws(() => watchKeyFile(`${path}.absent`, { onReload: () => undefined, onFailure: () => undefined }), {
    code: 'KEYS_FILE',
  })
})

async function waitFor(t: Test, condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 250 && !condition(); tries += 1) await sleep(PERIOD)
  t.ok(condition())
}
