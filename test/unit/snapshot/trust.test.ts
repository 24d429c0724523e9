import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PublicKey, SecretKey } from '@chainsafe/blst'
import t, { type Test } from 'tap'
import { addSignatures, isProofOf, isSignedByAll, SignerKey } from '../../../src/snapshot/blsKeys.ts'
import {
  formatManifest,
  type Manifest,
  SNAPSHOT_VERSION,
  snapshotId,
} from '../../../src/snapshot/manifest.ts'
import { formatSignatures, parseSignatures } from '../../../src/snapshot/signatureFile.ts'
import { readSignerKey, writeSignerKey } from '../../../src/snapshot/signerKeyFile.ts'
import { mergeSignatures, signSnapshot } from '../../../src/snapshot/signSnapshot.ts'
import { assertTrusted, type SnapshotTrust, trustFrom } from '../../../src/snapshot/snapshotTrust.ts'

const key = (seed: number) => SignerKey.generate(Buffer.alloc(32, seed))
const KEYS = [key(1), key(2), key(3)] as const
const ID = 'ab'.repeat(32)
/** JSON in which writers of JSON exhaust the stack. */
const NESTED = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
const textOf = (signer: SignerKey) => `${signer.publicKey}:${signer.prove()}`
const trusted = (quorum: number, keys: readonly SignerKey[] = KEYS): SnapshotTrust =>
  trustFrom(keys.map(textOf), quorum)

/** Signatures of some keys over a snapshot, as their file holds them. */
function signed(keys: readonly SignerKey[], snapshot = ID): Buffer {
  const signature = addSignatures(keys.map((signer) => signer.sign(snapshot)))
  return Buffer.from(
    formatSignatures({ snapshot, signers: keys.map(({ publicKey }) => publicKey), signature }),
  )
}

const refusal = (message: RegExp) => ({ code: 'SNAPSHOT_SIGNATURE', message })

t.test('as many trusted signers as are asked for', async (t) => {
  t.doesNotThrow(() => assertTrusted({ id: ID }, signed(KEYS), trusted(0)))
  t.doesNotThrow(() => assertTrusted({ id: ID }, signed([KEYS[0], KEYS[2]]), trusted(2)))
  t.doesNotThrow(() => assertTrusted({ id: ID }, signed([KEYS[1]]), trusted(1)))
  t.doesNotThrow(() => assertTrusted({ id: ID }, null, { kind: 'anyone' }))
})

t.test('everything else is refused with what is wrong', async (t) => {
  const stranger = key(9)
  const cases: readonly [Buffer | null, SnapshotTrust, RegExp][] = [
    [null, trusted(1), /is not signed: give --unsigned/],
    [signed(KEYS), trustFrom([], 0), /no key is trusted/],
    [signed([KEYS[0]]), trusted(2), /has 1 of the 2 signatures/],
    [signed([KEYS[0], KEYS[1]]), trusted(0), /has 2 of the 3 signatures/],
    [signed([KEYS[0], stranger]), trusted(1), new RegExp(`not trusted: ${stranger.publicKey}`)],
    [signed(KEYS, 'cd'.repeat(32)), trusted(1), /of another snapshot/],
    [Buffer.from('{'), trusted(1), /is no JSON/],
    [
      Buffer.from('{"version":2}'),
      trusted(1),
      /version 2; this build \(.*\) reads up to 1: run a newer build/,
    ],
    [Buffer.from(`{"version":${NESTED}}`), trusted(1), /version 1 expected, got a list/],
  ]
  for (const [file, trust, message] of cases) {
    t.throws(() => assertTrusted({ id: ID }, file, trust), refusal(message), String(message))
  }
})

t.test('a signer that is named twice is not two', async (t) => {
  const { signature } = parseSignatures(signed([KEYS[0]]))
  const doubled = addSignatures([signature, signature])
  const signers = [KEYS[0].publicKey, KEYS[0].publicKey]
  const file = Buffer.from(formatSignatures({ snapshot: ID, signers, signature: doubled }))
  t.throws(() => assertTrusted({ id: ID }, file, trusted(2)), refusal(/names the signer .* twice/))
})

t.test('a signature of other signers than are named', async (t) => {
  const { signature } = parseSignatures(signed([KEYS[0], KEYS[1]]))
  const signers = [KEYS[0].publicKey, KEYS[2].publicKey]
  const file = Buffer.from(formatSignatures({ snapshot: ID, signers, signature }))
  t.throws(() => assertTrusted({ id: ID }, file, trusted(2)), refusal(/not that of the signers it names/))
  const infinity = `c0${'00'.repeat(95)}`
  const empty = Buffer.from(formatSignatures({ snapshot: ID, signers, signature: infinity }))
  t.throws(() => assertTrusted({ id: ID }, empty, trusted(2)), refusal(/not that of the signers it names/))
})

t.test('a key that is made up to cancel out others has no proof', async (t) => {
  // Public key of the attacker's own secret, less the honest one: their sum is the attacker's own key.
  const own = SecretKey.fromKeygen(Buffer.alloc(32, 7))
  const honest = PublicKey.fromHex(KEYS[0].publicKey)
  const negated = Buffer.from(honest.toBytes())
  negated[0] = (negated[0] ?? 0) ^ 0x20
  const { aggregatePublicKeys } = await import('@chainsafe/blst')
  const rogue = Buffer.from(
    aggregatePublicKeys([own.toPublicKey(), PublicKey.fromBytes(negated, true)], true).toBytes(),
  ).toString('hex')
  const message = createHash('sha256')
    .update('rhizome snapshot manifest v1\0')
    .update(Buffer.from(ID, 'hex'))
    .digest()
  const forged = Buffer.from(own.sign(message).toBytes()).toString('hex')
  t.ok(isSignedByAll(ID, [KEYS[0].publicKey, rogue], forged), 'without proofs it would count')
  for (const proof of [forged, KEYS[0].prove(), Buffer.from(own.sign(message).toBytes()).toString('hex')]) {
    t.notOk(isProofOf(rogue, proof))
    t.throws(
      () => trustFrom([textOf(KEYS[0]), `${rogue}:${proof}`], 2),
      refusal(/proof of the trusted key .* is wrong/),
    )
  }
})

t.test('a proof is no signature, and a signature no proof', async (t) => {
  const [signer] = KEYS
  t.ok(isProofOf(signer.publicKey, signer.prove()))
  t.notOk(isProofOf(signer.publicKey, signer.sign(ID)))
  t.notOk(isProofOf(KEYS[1].publicKey, signer.prove()))
  const hashOfKey = createHash('sha256').update(Buffer.from(signer.publicKey, 'hex')).digest('hex')
  t.notOk(isSignedByAll(hashOfKey, [signer.publicKey], signer.prove()))
})

t.test('trusted keys that cannot be used', async (t) => {
  const text = textOf(KEYS[0])
  t.throws(
    () => trustFrom([text, `0x${text.toUpperCase().replace(':', ':0x')}`], 0),
    refusal(/trusted twice/),
  )
  t.throws(() => trustFrom([text], 2), refusal(/2 signatures are asked for, but only 1 keys/))
  t.throws(() => trustFrom([KEYS[0].publicKey], 0), refusal(/lacks its proof/))
  t.throws(() => trustFrom(['hello'], 0), refusal(/96 and 192 hex digits, got hello/))
  const infinity = `c0${'00'.repeat(47)}`
  t.throws(() => trustFrom([`${infinity}:c0${'00'.repeat(95)}`], 0), refusal(/is wrong/))
})

t.test('operators sign apart, and what they made is added up', async (t) => {
  const [first, second] = [folderWith(t, 'a'), folderWith(t, 'b')]
  await signSnapshot(first.folder, KEYS[0])
  await signSnapshot(first.folder, KEYS[1])
  await signSnapshot(second.folder, KEYS[2])
  const merged = await mergeSignatures(first.folder, [join(second.folder, 'signatures.json')])
  t.equal(merged.signers.length, 3)
  const file = Buffer.from(formatSignatures(merged))
  t.doesNotThrow(() => assertTrusted({ id: first.id }, file, trusted(3)))
  await t.rejects(signSnapshot(first.folder, KEYS[0]), refusal(/is signed by .* already/))
  await t.rejects(
    mergeSignatures(first.folder, [join(second.folder, 'signatures.json')]),
    refusal(/can hold each signer once/),
  )
  const third = folderWith(t, 'c', 2)
  await signSnapshot(third.folder, key(5))
  await t.rejects(
    mergeSignatures(first.folder, [join(third.folder, 'signatures.json')]),
    refusal(/another snapshot/),
  )
})

t.test('a key file opens with its passphrase and for its owner only', async (t) => {
  const path = join(t.testdir(), 'key.json')
  const cheap = { n: 1024, r: 8, p: 1 }
  await writeSignerKey(path, KEYS[0], 'pass\u0007word', cheap)
  t.equal(statSync(path).mode & 0o777, 0o600)
  t.equal((await readSignerKey(path, 'password')).publicKey, KEYS[0].publicKey)
  await t.rejects(readSignerKey(path, 'passwort'), { code: 'SNAPSHOT_SOURCE', message: /does not open it/ })
  await t.rejects(writeSignerKey(path, KEYS[1], 'x', cheap), { code: 'SNAPSHOT_TARGET', message: /EEXIST/ })
  await t.rejects(readSignerKey(`${path}.no`, 'x'), { code: 'SNAPSHOT_SOURCE' })
})

function folderWith(t: Test, name: string, number = 1) {
  const folder = mkdtempSync(join(tmpdir(), `rhizome-sign-${name}-`))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const hash = '11'.repeat(32)
  const manifest: Manifest = {
    version: SNAPSHOT_VERSION,
    network: 'regtest',
    genesis: hash,
    block: { number, hash },
    stateRoot: hash,
    totalDifficulty: '2',
    first: { number: 1, parentTotalDifficulty: '1' },
    states: 'head',
    chunks: [{ kind: 'blocks', hash, size: 1, packedSize: 1, items: number, from: 1, to: number }],
    created: '',
    program: '',
  }
  const bytes = Buffer.from(formatManifest(manifest))
  writeFileSync(join(folder, 'manifest.json'), bytes)
  return { folder, id: snapshotId(bytes) }
}
