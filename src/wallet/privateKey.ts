import { randomBytes } from 'node:crypto'
import { keccak256 } from '../native/crypto.ts'
import { WalletError } from './errors.ts'

const KEY_BYTES = 32
const MIN_KEY = Buffer.concat([Buffer.alloc(KEY_BYTES - 1), Buffer.from([1])])
/** Order of secp256k1. */
const ORDER = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex')

/**
 * Copies a private key of up to 32 big-endian bytes to 32 bytes of new memory.
 * @throws WalletError `INVALID_KEY` when it is longer, zero, or not below the order of the curve
 */
export function normalizePrivateKey(bytes: Buffer): Buffer {
  if (bytes.length > KEY_BYTES) throw invalid()
  const key = Buffer.alloc(KEY_BYTES)
  bytes.copy(key, KEY_BYTES - bytes.length)
  if (isPrivateKey(key)) return key
  key.fill(0)
  throw invalid()
}

/** A random private key. */
export function createPrivateKey(): Buffer {
  for (;;) {
    const key = randomBytes(KEY_BYTES)
    if (isPrivateKey(key)) return key
  }
}

/** Key of a seed account: Keccak-256 of the seed's UTF-8 bytes (rpc.md §3.9). */
export function privateKeyOfSeed(seed: string): Buffer {
  return normalizePrivateKey(keccak256(Buffer.from(seed, 'utf8')))
}

function isPrivateKey(key: Buffer): boolean {
  return key.compare(MIN_KEY) >= 0 && key.compare(ORDER) < 0
}

function invalid(): WalletError {
  return new WalletError('INVALID_KEY', 'not a private key: 1 to 32 bytes below the order of secp256k1')
}
