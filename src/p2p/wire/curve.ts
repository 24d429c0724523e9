import { publicKeyOf, signHash } from '../../native/crypto.ts'
import { NativeError } from '../../native/errors.ts'
import { recoverPublicKey, sharedAbscissa } from '../../native/wire.ts'
import { P2pError } from './p2pError.ts'

/** Bytes of a node id: a public key without its prefix. */
export const NODE_ID_BYTES = 64

/** Bytes of a private key. */
export const PRIVATE_KEY_BYTES = 32

/** Bytes of a signature: r 32, s 32, v 1. */
export const SIGNATURE_BYTES = 65

/** Prefix of a public key that is written with both of its coordinates. */
export const UNCOMPRESSED = 0x04

const PARITY_AT = 64

/** A private key with the node id that belongs to it. */
export interface NodeKey {
  readonly privateKey: Buffer
  /** 64 bytes. */
  readonly id: Buffer
}

/** @throws NativeError for bytes that are no private key */
export function nodeKeyOf(privateKey: Buffer): NodeKey {
  return { privateKey, id: publicKeyOf(privateKey) }
}

/** A private key that nobody else has. @param random gives that many random bytes */
export function createNodeKey(random: (length: number) => Buffer): NodeKey {
  for (;;) {
    try {
      return nodeKeyOf(random(PRIVATE_KEY_BYTES))
    } catch (error) {
      if (!(error instanceof NativeError)) throw error
    }
  }
}

/**
 * The x coordinate of the point that both keys agree on: 32 bytes.
 * @param id 64 bytes
 * @throws P2pError HANDSHAKE when the id is no point of the curve
 */
export function sharedX(privateKey: Buffer, id: Buffer): Buffer {
  const shared = sharedAbscissa(privateKey, id)
  if (shared === null) throw new P2pError('HANDSHAKE', 'a public key is no point of the curve')
  return shared
}

/** Signs a hash of 32 bytes: `r ‖ s ‖ v`, v 0 or 1, RFC 6979 with low s (p2p.md §1, §2). */
export function sign(hash: Buffer, privateKey: Buffer): Buffer {
  const { r, s, parity } = signHash(hash, privateKey)
  return Buffer.concat([r, s, Buffer.from([parity])])
}

/**
 * The node id that signed a hash.
 * @param signature as {@link sign} writes it
 * @returns null when no key made this signature
 */
export function recoverNodeId(hash: Buffer, signature: Buffer): Buffer | null {
  const v = signature[PARITY_AT]
  if (signature.length !== SIGNATURE_BYTES || (v !== 0 && v !== 1)) return null
  return recoverPublicKey(hash, signature)
}
