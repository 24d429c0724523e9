import { createECDH } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { publicKeyOf, signHash } from '../../native/crypto.ts'
import { asBuffer } from '../../util/bytes.ts'
import { P2pError } from './p2pError.ts'

/** Bytes of a node id: a public key without its prefix. */
export const NODE_ID_BYTES = 64

/** Bytes of a private key. */
export const PRIVATE_KEY_BYTES = 32

/** Bytes of a signature: r 32, s 32, v 1. */
export const SIGNATURE_BYTES = 65

/** Prefix of a public key that is written with both of its coordinates. */
export const UNCOMPRESSED = 0x04

const PREFIX = Buffer.from([UNCOMPRESSED])
const COMPACT_BYTES = 64

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
    const privateKey = random(PRIVATE_KEY_BYTES)
    if (secp256k1.utils.isValidSecretKey(privateKey)) return nodeKeyOf(privateKey)
  }
}

/**
 * The x coordinate of the point that both keys agree on: 32 bytes.
 * @param id 64 bytes
 * @throws P2pError HANDSHAKE when the id is no point of the curve
 */
export function sharedX(privateKey: Buffer, id: Buffer): Buffer {
  const exchange = createECDH('secp256k1')
  exchange.setPrivateKey(privateKey)
  try {
    return exchange.computeSecret(Buffer.concat([PREFIX, id]))
  } catch (cause) {
    throw new P2pError('HANDSHAKE', 'a public key is no point of the curve', { cause })
  }
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
  const v = signature[COMPACT_BYTES]
  if (signature.length !== SIGNATURE_BYTES || (v !== 0 && v !== 1)) return null
  try {
    const point = secp256k1.Signature.fromBytes(signature.subarray(0, COMPACT_BYTES), 'compact')
      .addRecoveryBit(v)
      .recoverPublicKey(hash)
    return asBuffer(point.toBytes(false)).subarray(1)
  } catch {
    return null
  }
}
