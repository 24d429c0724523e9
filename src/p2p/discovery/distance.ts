import { keccak256 } from '../../native/crypto.ts'

/** Buckets of the table, and the longest distance. */
export const HASH_BITS = 256

/** Where a node stands among the others: the hash of the hash of its id, as the reference has it (p2p.md §1). */
export function placeOf(id: Uint8Array): Buffer {
  return keccak256(keccak256(id))
}

/** Bits of two places behind the first in which they differ, that one included: 0 where they are the same, up to 256. */
export function distance(one: Uint8Array, other: Uint8Array): number {
  for (let index = 0; index < one.length; index += 1) {
    const different = (one[index] ?? 0) ^ (other[index] ?? 0)
    if (different !== 0) return HASH_BITS - index * 8 - Math.clz32(different) + 24
  }
  return 0
}
