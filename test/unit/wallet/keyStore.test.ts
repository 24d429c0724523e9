import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { addressOfPrivateKey } from '../../../src/native/crypto.ts'
import { keyFileName } from '../../../src/wallet/keyFileName.ts'
import { KeyStore } from '../../../src/wallet/keyStore.ts'
import { decryptKey, encryptKey } from '../../../src/wallet/secretStorage/cipher.ts'
import { KEY_FILE_VECTORS } from './fixtures/keyFiles.ts'

const LIGHT = { n: 2, r: 8, p: 1 }
const KEY = Buffer.alloc(32, 7)
const ADDRESS = addressOfPrivateKey(KEY)
const NOON = Date.UTC(2026, 0, 2, 12, 3, 4, 56)

function openStore(t: Test, folder = join(mkdtempSync(join(tmpdir(), 'rhizome-keys-')), 'keystore')) {
  const skipped: string[] = []
  t.teardown(() => rmSync(join(folder, '..'), { recursive: true, force: true }))
  return {
    folder,
    skipped,
    store: new KeyStore(folder, (name, reason) => skipped.push(`${name}: ${reason}`)),
  }
}

t.test('file names are those of geth', (t) => {
  const address = Buffer.from('7ef5a6135f1fd6a02593eedc869c6d41d934aef8', 'hex')
  t.equal(
    keyFileName(address, NOON),
    'UTC--2026-01-02T12-03-04.056000000Z--7ef5a6135f1fd6a02593eedc869c6d41d934aef8',
  )
  t.end()
})

t.test('a folder that is not there holds nothing, and is made private', async (t) => {
  const { folder, store } = openStore(t)
  await store.scan()
  t.same(store.addresses(), [])
  await store.write({ ...(await encryptKey(KEY, 'p', LIGHT)), address: ADDRESS }, NOON)
  t.equal(statSync(folder).mode & 0o777, 0o700)
  const names = readdirSync(folder)
  t.same(names, [keyFileName(ADDRESS, NOON)], 'no temporary file is left')
  t.equal(statSync(join(folder, names[0] ?? '')).mode & 0o777, 0o600)
  t.same(store.addresses(), [ADDRESS])
})

t.test('writing an account again replaces its file', async (t) => {
  const { folder, store } = openStore(t)
  await store.write({ ...(await encryptKey(KEY, 'old', LIGHT)), address: ADDRESS }, NOON)
  await store.write({ ...(await encryptKey(KEY, 'new', LIGHT)), address: ADDRESS }, NOON + 1)
  t.same(readdirSync(folder), [keyFileName(ADDRESS, NOON + 1)])
  const file = await store.read(ADDRESS)
  if (file === null) throw new Error('the file is gone')
  t.same(await decryptKey(file, 'new'), KEY)
  t.same(store.addresses(), [ADDRESS])
})

t.test('a scan finds files that were put there by hand and reports others once', async (t) => {
  const { folder, store, skipped } = openStore(t)
  mkdirSync(join(folder, 'directory'), { recursive: true })
  const vector = KEY_FILE_VECTORS.find(({ text }) => !text.includes('"address"'))
  const padded = Buffer.from(vector?.privateKey.padStart(64, '0') ?? '', 'hex')
  const address = addressOfPrivateKey(padded)
  // Its text has no address: the name has.
  writeFileSync(join(folder, keyFileName(address, NOON)), vector?.text ?? '')
  writeFileSync(join(folder, 'nameless'), vector?.text ?? '')
  writeFileSync(join(folder, 'notes.txt'), 'my keys')
  writeFileSync(join(folder, '.hidden'), 'x')
  writeFileSync(join(folder, 'large'), 'x'.repeat(100_000))
  await store.scan()
  await store.scan()
  t.same(store.addresses(), [address])
  t.same(
    skipped.map((entry) => entry.split(':')[0]),
    ['directory', 'large', 'nameless', 'notes.txt'],
  )
  const file = await store.read(address)
  t.same(file && (await decryptKey(file, vector?.passphrase ?? '')), padded)
  rmSync(join(folder, keyFileName(address, NOON)))
  await store.scan()
  t.same(store.addresses(), [])
  t.equal(await store.read(address), null)
})

t.test('a file that cannot be written leaves the old one and nothing beside it', async (t) => {
  const { folder, store } = openStore(t)
  await store.write({ ...(await encryptKey(KEY, 'old', LIGHT)), address: ADDRESS }, NOON)
  const before = readFileSync(join(folder, keyFileName(ADDRESS, NOON)), 'utf8')
  // A folder in the place of the new file makes the rename fail.
  mkdirSync(join(folder, keyFileName(ADDRESS, NOON + 1), 'in the way'), { recursive: true })
  const file = { ...(await encryptKey(KEY, 'new', LIGHT)), address: ADDRESS }
  await t.rejects(store.write(file, NOON + 1), { code: 'KEY_FILE' })
  t.equal(readFileSync(join(folder, keyFileName(ADDRESS, NOON)), 'utf8'), before)
  t.same(
    readdirSync(folder).filter((name) => name.endsWith('.tmp')),
    [],
  )
})
