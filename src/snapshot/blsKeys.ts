import { createHash } from 'node:crypto'
import {
  aggregateSignatures,
  fastAggregateVerify,
  PublicKey,
  SecretKey,
  Signature,
  verify,
} from '@chainsafe/blst'

// BLS12-381 with public keys in G1 (48 bytes) and signatures in G2 (96 bytes). The library hashes to the curve
// under one name for everything, so that what is signed says itself what it is for.
const MANIFEST_DOMAIN = 'rhizome snapshot manifest v1\0'
const PROOF_DOMAIN = 'rhizome snapshot key proof v1\0'

/** Bytes of a secret key. */
export const SECRET_KEY_BYTES = 32

/** A key pair of an operator. */
export class SignerKey {
  readonly #secret: SecretKey
  /** 96 hex digits. */
  readonly publicKey: string

  private constructor(secret: SecretKey) {
    this.#secret = secret
    this.publicKey = hexOf(secret.toPublicKey().toBytes())
  }

  /** A key of at least 32 random bytes (the key generation of the BLS signature draft). */
  static generate(random: Buffer): SignerKey {
    return new SignerKey(SecretKey.fromKeygen(random))
  }

  /** A key of its 32 bytes. @throws Error when they are none */
  static fromBytes(bytes: Buffer): SignerKey {
    return new SignerKey(SecretKey.fromBytes(bytes))
  }

  toBytes(): Buffer {
    return Buffer.from(this.#secret.toBytes())
  }

  /** Shows that whoever names the public key has its secret: 192 hex digits. */
  prove(): string {
    return hexOf(this.#secret.sign(proofMessage(this.publicKey)).toBytes())
  }

  /** Signs the manifest of a snapshot: 192 hex digits. */
  sign(snapshot: string): string {
    return hexOf(this.#secret.sign(manifestMessage(snapshot)).toBytes())
  }
}

/** Whether a proof is the one of a public key, which must be a key. */
export function isProofOf(publicKey: string, proof: string): boolean {
  try {
    const signature = Signature.fromHex(proof, true, true)
    return verify(proofMessage(publicKey), PublicKey.fromHex(publicKey, true), signature, true, true)
  } catch {
    return false
  }
}

/**
 * Whether the sum of the signatures of all these keys over a snapshot is this. Sound only for keys whose proofs were
 * seen: a key may otherwise be chosen so that it cancels others out.
 */
export function isSignedByAll(snapshot: string, publicKeys: readonly string[], signature: string): boolean {
  if (publicKeys.length === 0) return false
  try {
    const keys = publicKeys.map((key) => PublicKey.fromHex(key, true))
    return fastAggregateVerify(
      manifestMessage(snapshot),
      keys,
      Signature.fromHex(signature, true, true),
      true,
    )
  } catch {
    return false
  }
}

/** Sum of signatures, 192 hex digits each. @throws Error when one is none */
export function addSignatures(signatures: readonly string[]): string {
  return hexOf(
    aggregateSignatures(
      signatures.map((signature) => Signature.fromHex(signature, true, true)),
      true,
    ).toBytes(),
  )
}

function manifestMessage(snapshot: string): Buffer {
  return createHash('sha256').update(MANIFEST_DOMAIN).update(Buffer.from(snapshot, 'hex')).digest()
}

function proofMessage(publicKey: string): Buffer {
  return createHash('sha256').update(PROOF_DOMAIN).update(Buffer.from(publicKey, 'hex')).digest()
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
