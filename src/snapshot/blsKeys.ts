import { createHash } from 'node:crypto'
import {
  aggregateSignatures,
  fastAggregateVerify,
  PublicKey,
  SecretKey,
  Signature,
  verify,
} from '@chainsafe/blst'

// BLS12-381 with public keys in G1 (48 bytes) and signatures in G2 (96 bytes). The library uses one domain
// separation tag for everything, so that signed messages state their purpose themselves.
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

  /** A key from its 32 bytes. @throws Error when they are invalid */
  static fromBytes(bytes: Buffer): SignerKey {
    return new SignerKey(SecretKey.fromBytes(bytes))
  }

  toBytes(): Buffer {
    return Buffer.from(this.#secret.toBytes())
  }

  /** Proof of possession of the secret key: 192 hex digits. */
  prove(): string {
    return hexOf(this.#secret.sign(proofMessage(this.publicKey)).toBytes())
  }

  /** Signs the manifest of a snapshot: 192 hex digits. */
  sign(snapshot: string): string {
    return hexOf(this.#secret.sign(manifestMessage(snapshot)).toBytes())
  }
}

/** True when a proof belongs to a public key, which must be valid. */
export function isProofOf(publicKey: string, proof: string): boolean {
  try {
    const signature = Signature.fromHex(proof, true, true)
    return verify(proofMessage(publicKey), PublicKey.fromHex(publicKey, true), signature, true, true)
  } catch {
    return false
  }
}

/**
 * Whether this is the aggregated signature of all these keys over a snapshot. Sound only for keys with
 * verified proofs: otherwise a key may be chosen so that it cancels others out.
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

/** Aggregates signatures, 192 hex digits each. @throws Error when one is invalid */
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
