import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { open } from 'lmdb'
import t, { type Test } from 'tap'
import { AccessStore } from '../../../src/storage/access/accessStore.ts'
import type { MethodUsage } from '../../../src/storage/access/usageRecord.ts'
import { checkLmdbFile } from '../../../src/storage/lmdbFile.ts'
import { keyRecord } from '../../support/keyRecords.ts'
import { LOADER } from '../../support/sources.ts'

const ONE: MethodUsage = { count: 1, cost: 5, bytes: 100, errors: 0, refused: 2 }

function openStore(t: Test, dataDir = t.testdir()) {
  const store = AccessStore.open({ dataDir, checked: true })
  t.teardown(() => store.close())
  return { store, dataDir, file: join(dataDir, 'access', 'data.mdb') }
}

t.test('keys are kept as they were made, and every change has a revision', async (t) => {
  const dataDir = t.testdir()
  const first = AccessStore.open({ dataDir })
  const ada = keyRecord('ada', {
    name: 'Ada, London',
    modules: new Set(['eth', 'net']),
    methods: new Set(['rsk_getRawBlockHeaderByHash']),
    origins: new Set(['https://app.example']),
    revertErrors: 'geth',
    beyondHead: 'refuse',
    limits: { rate: 10, burst: 20, dailyQuota: 0, concurrency: null, sockets: 3, subscriptions: 4 },
  })
  t.equal(first.revision(), 0)
  first.create(ada)
  first.create(keyRecord('bob'))
  const rotated = first.update('bob', (key) => ({
    ...key,
    hash: keyRecord('new').hash,
    previous: { hash: key.hash, until: 5 },
  }))
  t.equal(first.revision(), 3)
  await first.close()
  const { store } = openStore(t, dataDir)
  t.same(store.keys(), [ada, rotated])
  t.equal(store.revision(), 3)
  t.throws(() => store.create(keyRecord('ada', { hash: keyRecord('x').hash })), { code: 'ACCESS_TAKEN' })
  t.throws(() => store.create(keyRecord('eve', { hash: ada.hash })), { code: 'ACCESS_TAKEN' })
  t.throws(() => store.update('eve', (key) => key), { code: 'ACCESS_UNKNOWN_KEY' })
  t.equal(store.revision(), 3, 'what failed changed nothing')
  t.same(store.keys(), [ada, rotated])
})

t.test('the keys of a file replace those of the file before, and no others', (t) => {
  const { store } = openStore(t)
  const own = keyRecord('own')
  store.create(own)
  const file = (id: string, more = {}) => keyRecord(id, { fromFile: true, ...more })
  store.replaceFileKeys([file('a'), file('b')])
  store.update('a', (key) => ({ ...key, disabled: true }))
  const revision = store.revision()
  store.replaceFileKeys([file('a'), file('b')])
  t.equal(store.revision(), revision, 'the same keys are no change')
  store.replaceFileKeys([file('a', { created: 9 }), file('c')])
  t.same(store.keys(), [file('a', { disabled: true }), file('c'), own])
  t.throws(() => store.replaceFileKeys([file('own')]), { code: 'ACCESS_TAKEN' })
  t.throws(() => store.replaceFileKeys([file('d', { hash: own.hash })]), { code: 'ACCESS_TAKEN' })
  store.replaceFileKeys([])
  t.same(store.keys(), [own])
  t.end()
})

t.test('usage adds up, by key, day and method', async (t) => {
  const dataDir = t.testdir()
  const first = AccessStore.open({ dataDir })
  const methods = new Map([
    ['eth_call', ONE],
    ['__proto__', ONE],
  ])
  await Promise.all([
    first.addUsage([
      { id: 'ada', day: 20_000, methods },
      { id: 'bob', day: 20_000, methods },
    ]),
    first.addUsage([{ id: 'ada', day: 20_000, methods: new Map([['eth_call', ONE]]) }]),
    first.addUsage([{ id: 'ada', day: 20_001, methods: new Map([['net_version', ONE]]) }]),
  ])
  await first.close()
  const { store } = openStore(t, dataDir)
  const twice = { count: 2, cost: 10, bytes: 200, errors: 0, refused: 4 }
  t.same(store.usage('ada', 20_000, 20_000), [
    {
      id: 'ada',
      day: 20_000,
      methods: new Map([
        ['eth_call', twice],
        ['__proto__', ONE],
      ]),
    },
  ])
  t.same(
    store.usage('ada', 0, 30_000).map(({ day }) => day),
    [20_000, 20_001],
  )
  t.same(store.usage('ad', 0, 30_000), [], 'no other key that begins so')
  t.same(store.usedIds(), ['ada', 'bob'])
  t.equal(await store.pruneUsage(20_001), 2)
  t.same(store.usedIds(), ['ada'])
  t.equal(await store.pruneUsage(20_001), 0)
})

t.test('two that have the store open see what the other wrote', async (t) => {
  const { store, dataDir } = openStore(t)
  const writer = spawnWriter(dataDir, 'child')
  while (store.revision() < 20) await sleep(5)
  store.create(keyRecord('mine'))
  const acknowledged = await killAfter(writer, 30)
  const ids = new Set(store.keys().map(({ id }) => id))
  t.ok(ids.has('mine'))
  for (let number = 0; number <= acknowledged; number += 1) t.ok(ids.has(`child-${number}`), `key ${number}`)
})

t.test('nothing acknowledged is lost when the process is killed', async (t) => {
  const dataDir = t.testdir()
  const counts: number[] = []
  for (let run = 0; run < 4; run += 1) {
    const acknowledged = await killAfter(spawnWriter(dataDir, `run${run}`), 10 + 7 * run)
    counts.push(acknowledged)
    const store = AccessStore.open({ dataDir, checked: true })
    const ids = new Set(store.keys().map(({ id }) => id))
    counts.forEach((last, earlier) => {
      for (let number = 0; number <= last; number += 1) {
        if (!ids.has(`run${earlier}-${number}`)) t.fail(`key ${number} of run ${earlier} is lost`)
      }
      const used = store.usage(`run${earlier}`, 7, 7)[0]?.methods.get('eth_call')?.count ?? 0
      t.ok(used >= last + 1 && used <= ids.size, `usage of run ${earlier}: ${used} of ${last + 1}`)
    })
    await store.close()
  }
})

t.test('another version is refused', async (t) => {
  const dataDir = t.testdir()
  await AccessStore.open({ dataDir }).close()
  const root = open<Buffer, Buffer>({
    path: join(dataDir, 'access'),
    keyEncoding: 'binary',
    encoding: 'binary',
  })
  root
    .openDB<Buffer, Buffer>({ name: 'metadata', keyEncoding: 'binary', encoding: 'binary' })
    .putSync(Buffer.from('format'), Buffer.from([9]))
  await root.close()
  t.throws(() => AccessStore.open({ dataDir }), {
    code: 'ACCESS_FORMAT',
    message: /has format 9; this build \(.*\) reads up to 2: run a newer build$/,
  })
})

t.test('a file that was cut or overwritten is a message, never a signal', async (t) => {
  const dataDir = t.testdir()
  const store = AccessStore.open({ dataDir })
  for (let number = 0; number < 200; number += 1) store.create(keyRecord(`key-${number}`))
  store.create(keyRecord('long', { name: 'x'.repeat(9000) }))
  await store.close()
  const whole = join(dataDir, 'access', 'data.mdb')
  const size = statSync(whole).size
  t.equal(checkLmdbFile(whole, { pages: 'all' }), null)
  t.equal(checkLmdbFile(`${whole}.absent`, { pages: 'all' }), null)
  const damaged = (name: string, damage: (path: string) => void) => {
    const folder = join(dataDir, name)
    const path = join(folder, 'access', 'data.mdb')
    mkdirSync(join(folder, 'access'), { recursive: true })
    copyFileSync(whole, path)
    damage(path)
    t.throws(
      () => AccessStore.open({ dataDir: folder, checked: true }),
      { code: 'ACCESS_DAMAGED', message: /is damaged: .*data\.mdb.*; restore the folder .* from a copy/ },
      name,
    )
    return folder
  }
  for (const left of [1, 100, 4096, 5000, 8192, 12_288, Math.floor(size / 2), size - 4096]) {
    const folder = damaged(`cut to ${left}`, (path) => truncateSync(path, left))
    t.throws(
      () => AccessStore.open({ dataDir: folder }),
      { code: 'ACCESS_DAMAGED' },
      'also without the whole check',
    )
  }
  const overwrite = (at: number, length: number) => (path: string) => {
    const bytes = readFileSync(path)
    bytes.fill(0x5a, at, at + length)
    writeFileSync(path, bytes)
  }
  damaged('first meta page', overwrite(0, 4096))
  damaged('second meta page', overwrite(4096, 4096))
  damaged('pages of the keys', overwrite(8192, size - 8192))
  damaged('zeros', (path) => writeFileSync(path, Buffer.alloc(size)))
})

t.test('a record that is not one is named', async (t) => {
  const dataDir = t.testdir()
  const path = join(dataDir, 'access')
  await AccessStore.open({ dataDir }).close()
  const root = open<Buffer, Buffer>({ path, maxDbs: 8, keyEncoding: 'binary', encoding: 'binary' })
  const table = (name: string) =>
    root.openDB<Buffer, Buffer>({ name, keyEncoding: 'binary', encoding: 'binary' })
  table('keys').putSync(Buffer.from('ada'), Buffer.from('{"id":"bob"}'))
  table('usage').putSync(Buffer.from([97, 0, 0, 0, 0, 5]), Buffer.from('{"eth_call":[1,2]}'))
  await root.close()
  const { store } = openStore(t, dataDir)
  t.throws(() => store.keys(), { code: 'ACCESS_DAMAGED', message: /record of the key ada/ })
  t.throws(() => store.usage('a', 0, 9), {
    code: 'ACCESS_DAMAGED',
    message: /usage of the key a on 1970-01-06/,
  })
})

function spawnWriter(dataDir: string, name: string) {
  const script = new URL('../../support/accessWriter.ts', import.meta.url).pathname
  const { NODE_OPTIONS: _, ...env } = process.env
  return spawn(process.execPath, ['--import', LOADER, script, dataDir, name], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Kills the writer when it has acknowledged so many keys; the last number that it acknowledged. */
async function killAfter(writer: ReturnType<typeof spawnWriter>, keys: number): Promise<number> {
  let said = ''
  writer.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.split('\n').length > keys) writer.kill('SIGKILL')
  })
  await once(writer, 'close')
  const lines = said.split('\n')
  return Number(lines[lines.length - 2])
}

t.test('a store without its keys is not made anew', async (t) => {
  const dataDir = t.testdir()
  const note = join(dataDir, 'keyed')
  const path = join(dataDir, 'access')
  const first = AccessStore.open({ dataDir })
  t.notOk(existsSync(note), 'nobody loses what was never there')
  first.create(keyRecord('ada'))
  t.ok(existsSync(note))
  t.equal(statSync(note).mode & 0o777, 0o600)
  await first.close()
  renameSync(path, join(dataDir, 'copy'))
  const lost = {
    code: 'ACCESS_DAMAGED',
    message: /data\.mdb is missing, and .*keyed says that there were API keys/,
  }
  t.throws(() => AccessStore.open({ dataDir }), lost)
  t.notOk(existsSync(path), 'nothing was made')
  mkdirSync(path)
  t.throws(() => AccessStore.open({ dataDir }), lost, 'nor in an empty folder')
  rmSync(path, { recursive: true })
  renameSync(join(dataDir, 'copy'), path)
  rmSync(note)
  const again = AccessStore.open({ dataDir })
  t.ok(existsSync(note), 'a store of an earlier build gets its note')
  t.equal(again.keys().length, 1)
  await again.close()
  rmSync(path, { recursive: true })
  rmSync(note)
  const fresh = AccessStore.open({ dataDir })
  t.same(fresh.keys(), [], 'whoever deletes the note begins without keys')
  fresh.replaceFileKeys([keyRecord('file', { fromFile: true })])
  t.ok(existsSync(note))
  fresh.replaceFileKeys([])
  t.notOk(existsSync(note), 'there are none left to lose')
  await fresh.close()
})
