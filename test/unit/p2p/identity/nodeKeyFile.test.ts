import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  importNodeKey,
  NODE_KEY_FILE,
  NodeKeyError,
  openNodeKey,
  readNodeKey,
} from '../../../../src/p2p/identity/nodeKeyFile.ts'
import { testFolder } from '../../../support/testFolder.ts'

/** The reference's key and node id of the recorded lines. */
const KEY = '11'.repeat(32)
const ID =
  '4f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa385b6b1b8ead809ca67454d9683fcf2ba03456d6fe2c4abe2b07f0fbdbb2f1c1'

const modeOf = (path: string) => statSync(path).mode & 0o777

t.test('a key is made once, for its owner alone', (t) => {
  const dataDir = join(testFolder(t), 'new', 'regtest')
  t.equal(readNodeKeyOf(dataDir), null)
  const key = openNodeKey(dataDir)
  const path = join(dataDir, NODE_KEY_FILE)
  t.equal(modeOf(path), 0o600)
  t.match(readFileSync(path, 'utf8'), /^[0-9a-f]{64}\n$/)
  t.same(openNodeKey(dataDir), key)
  t.same(readdirSync(dataDir), [NODE_KEY_FILE], 'nothing is left of its making')
  t.end()
})

function readNodeKeyOf(dataDir: string) {
  return existsSync(dataDir) ? readNodeKey(dataDir) : null
}

t.test('rights of others are taken away from a file that is ours', (t) => {
  const dataDir = testFolder(t)
  openNodeKey(dataDir)
  const path = join(dataDir, NODE_KEY_FILE)
  chmodSync(path, 0o644)
  t.ok(readNodeKey(dataDir))
  t.equal(modeOf(path), 0o600)
  t.end()
})

t.test('what is no key is refused and not replaced', (t) => {
  const dataDir = testFolder(t)
  const path = join(dataDir, NODE_KEY_FILE)
  for (const text of [
    '',
    'abc',
    'zz'.repeat(32),
    '00'.repeat(32),
    'ff'.repeat(32),
    `${KEY}11`,
    'x'.repeat(20_000),
  ]) {
    writeFileSync(path, text, { mode: 0o600 })
    t.throws(() => openNodeKey(dataDir), NodeKeyError, text.slice(0, 10))
    t.equal(readFileSync(path, 'utf8'), text)
  }
  writeFileSync(path, `${'22'.repeat(31)}zz`)
  try {
    openNodeKey(dataDir)
    t.fail('it was taken')
  } catch (error) {
    t.notMatch((error as Error).message, '2222', 'no message tells a key')
  }
  t.end()
})

t.test('the file of the reference is taken, and 64 digits are', (t) => {
  const source = join(testFolder(t), 'nodeId.properties')
  for (const text of [
    `#Generated NodeID. To use your own private key please refer to 'peer.privateKey' config value.\n#Mon Nov 23 2026\nnodeIdPrivateKey=${KEY}\nnodeId=${ID}\n`,
    `nodeId = ${ID.toUpperCase()}\r\nnodeIdPrivateKey : ${KEY}\r\n`,
    `nodeIdPrivateKey=${KEY}`,
    `${KEY}\n`,
    `0x${KEY}`,
  ]) {
    const dataDir = testFolder(t)
    writeFileSync(source, text)
    t.equal(importNodeKey(dataDir, source, false).id.toString('hex'), ID)
    t.equal(readNodeKey(dataDir)?.id.toString('hex'), ID)
    t.equal(modeOf(join(dataDir, NODE_KEY_FILE)), 0o600)
  }
  t.end()
})

t.test('another key is replaced only when that is said, and a wrong file never takes its place', (t) => {
  const dataDir = testFolder(t)
  const source = join(testFolder(t), 'key')
  const own = openNodeKey(dataDir)
  writeFileSync(source, KEY)
  t.throws(() => importNodeKey(dataDir, source, false), /holds another key: --replace/)
  t.same(readNodeKey(dataDir), own)
  for (const [text, message] of [
    [`nodeIdPrivateKey=${KEY}\nnodeId=${'ab'.repeat(64)}\n`, /its node id belongs to another key/],
    [`nodeId=${ID}\n`, /nodeIdPrivateKey/],
    ['nodeIdPrivateKey=xyz\n', /is not 64 hex digits/],
  ] as const) {
    writeFileSync(source, text)
    t.throws(() => importNodeKey(dataDir, source, true), message)
  }
  t.throws(() => importNodeKey(dataDir, `${source}.gone`, true), /no such file/)
  t.same(readNodeKey(dataDir), own)
  writeFileSync(source, KEY)
  importNodeKey(dataDir, source, true)
  t.equal(readNodeKey(dataDir)?.id.toString('hex'), ID)
  importNodeKey(dataDir, source, false)
  t.end()
})
