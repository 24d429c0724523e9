import type { AccountFields, Unitrie as NativeUnitrie, TrieKeys } from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import { native } from './errors.ts'

/** A Unitrie in memory (RSKIP107). Its methods throw the addon's errors as they are. */
export type Unitrie = NativeUnitrie

/** An empty trie. */
export function createUnitrie(): Unitrie {
  return new addon.Unitrie()
}

/**
 * Root (32 bytes) of the trie that maps RLP `int(i)` to the i-th value: the transaction or receipt root of a
 * block. `orchid` selects the node format before RSKIP126.
 */
export function orderedTrieRoot(values: readonly Uint8Array[], { orchid }: { orchid: boolean }): Buffer {
  return native(() => addon.orderedTrieRoot(values as Uint8Array[], orchid))
}

/** Serialised nodes of that trie from the one of value `index` up to the root; null past the last value. */
export function orderedTrieNodes(values: readonly Uint8Array[], index: number): Buffer[] | null {
  return native(() => addon.orderedTrieNodes(values as Uint8Array[], index))
}

/** Trie keys of an account (20 bytes, or the one zero byte of the REMASC sender) and one of its cells. */
export function trieKeys(address: Uint8Array, slot: Uint8Array): TrieKeys {
  return native(() => addon.trieKeys(address, slot))
}

/** Fields of an account value in the trie (consensus.md §6.5). */
export function decodeAccount(value: Uint8Array): AccountFields {
  return native(() => addon.decodeAccount(value))
}

/** Account value for the trie. */
export function encodeAccount(account: AccountFields): Buffer {
  return native(() => addon.encodeAccount(account))
}
