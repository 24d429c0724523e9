import { keccak256 } from '../../native/crypto.ts'

/** Number of buckets of the table, and the longest distance. */
export const HASH_BITS = 256

/** Position of a node in the table: the hash of the hash of its id, as in the reference (p2p.md §1). */
export function idHashOf(id: Uint8Array): Buffer {
  return keccak256(keccak256(id))
}

/** Distance of two hashes: 256 minus the number of leading bits that they share. */
export function distance(one: Uint8Array, other: Uint8Array): number {
  for (let index = 0; index < one.length; index += 1) {
    const different = (one[index] ?? 0) ^ (other[index] ?? 0)
    if (different !== 0) return HASH_BITS - index * 8 - Math.clz32(different) + 24
  }
  return 0
}
