import { isProofOf, isSignedByAll } from './blsKeys.ts'
import { SnapshotError } from './errors.ts'
import type { ReadManifest } from './manifest.ts'
import { parseSignatures } from './signatureFile.ts'

/** A public key with the proof that its owner has the secret. */
export interface TrustedKey {
  /** 96 hex digits. */
  readonly publicKey: string
  /** 192 hex digits. */
  readonly proof: string
}

/** The signatures that a snapshot needs: none, or those of a quorum of these keys. */
export type SnapshotTrust =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'signers'; readonly keys: readonly TrustedKey[]; readonly quorum: number }

/**
 * Parses trusted keys `<public key>:<proof>`, with or without `0x`. A quorum of zero requires all.
 * @throws SnapshotError `SNAPSHOT_SIGNATURE` for a key without a valid proof, a duplicate one, or a quorum
 *   above the number of keys
 */
export function trustFrom(texts: readonly string[], quorum: number): SnapshotTrust {
  const keys = trustedKeys(texts)
  if (quorum > keys.length) {
    throw untrusted(`${quorum} signatures are asked for, but only ${keys.length} keys are trusted`)
  }
  return { kind: 'signers', keys, quorum: quorum === 0 ? keys.length : quorum }
}

/**
 * Parses trusted keys as {@link trustFrom} does.
 * @throws SnapshotError `SNAPSHOT_SIGNATURE` for a key without a valid proof and a duplicate one
 */
export function trustedKeys(texts: readonly string[]): readonly TrustedKey[] {
  const keys = texts.map(parseTrustedKey)
  keys.forEach(({ publicKey }, index) => {
    if (keys.findIndex((other) => other.publicKey === publicKey) !== index) {
      throw untrusted(`the key ${publicKey} is trusted twice`)
    }
  })
  return keys
}

/**
 * Accepts a snapshot with the required signatures.
 * @throws SnapshotError `SNAPSHOT_SIGNATURE`
 */
export function assertTrusted(
  snapshot: Pick<ReadManifest, 'id'>,
  signatures: Buffer | null,
  trust: SnapshotTrust,
): void {
  if (trust.kind === 'anyone') return
  if (trust.keys.length === 0) {
    throw untrusted(
      'no key is trusted: name those of the signers with --snapshot-keys, or give --unsigned for a snapshot of your own',
    )
  }
  if (signatures === null) {
    throw untrusted('the snapshot is not signed: give --unsigned if it is your own')
  }
  const signed = parseSignatures(signatures)
  if (signed.snapshot !== snapshot.id) {
    throw untrusted(`its signatures are of another snapshot, ${signed.snapshot}, not of ${snapshot.id}`)
  }
  const trusted = new Set(trust.keys.map(({ publicKey }) => publicKey))
  // An unknown key has no proof, and could cancel trusted ones out.
  const unknown = signed.signers.find((signer) => !trusted.has(signer))
  if (unknown !== undefined) throw untrusted(`it is signed by a key that is not trusted: ${unknown}`)
  if (!isSignedByAll(snapshot.id, signed.signers, signed.signature)) {
    throw untrusted('its signature is not that of the signers it names')
  }
  if (signed.signers.length < trust.quorum) {
    throw untrusted(`it has ${signed.signers.length} of the ${trust.quorum} signatures that are asked for`)
  }
}

function parseTrustedKey(text: string): TrustedKey {
  const [publicKey, proof] = text.split(':').map((part) => part.trim().replace(/^0x/, '').toLowerCase())
  if (publicKey === undefined || !/^[0-9a-f]{96}$/.test(publicKey)) {
    throw untrusted(`a trusted key is <public key>:<proof>, 96 and 192 hex digits, got ${text.slice(0, 40)}`)
  }
  if (proof === undefined || !/^[0-9a-f]{192}$/.test(proof)) {
    throw untrusted(`the trusted key ${publicKey} lacks its proof of 192 hex digits behind a colon`)
  }
  if (!isProofOf(publicKey, proof)) {
    throw untrusted(`the proof of the trusted key ${publicKey} is wrong: its owner may not have its secret`)
  }
  return { publicKey, proof }
}

function untrusted(message: string): SnapshotError {
  return new SnapshotError('SNAPSHOT_SIGNATURE', message)
}
