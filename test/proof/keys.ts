import { keccak } from './node.ts'

const DOMAIN = Uint8Array.of(0)
const STORAGE = Uint8Array.of(0)
const HASH_PREFIX_BYTES = 10

/** Trie key of an account (consensus.md §6.4). */
export function accountKey(address: Uint8Array): Uint8Array {
  return Buffer.concat([DOMAIN, keccak(address).subarray(0, HASH_PREFIX_BYTES), address])
}

/** Trie key of a storage cell; the slot has 32 bytes. */
export function cellKey(address: Uint8Array, slot: Uint8Array): Uint8Array {
  const first = slot.findIndex((byte) => byte !== 0)
  const stripped = first < 0 ? Uint8Array.of(0) : slot.subarray(first)
  return Buffer.concat([accountKey(address), STORAGE, keccak(slot).subarray(0, HASH_PREFIX_BYTES), stripped])
}
