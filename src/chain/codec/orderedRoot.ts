import { orderedTrieRoot } from '../../native/trie.ts'
import { EMPTY_TRIE_HASH } from './constants.ts'

/**
 * Root of the trie of values under their RLP index: of transactions and of receipts.
 * @param rskip126 false gives the older (orchid) hash (consensus.md §2.6, §6.2)
 */
export function orderedRoot(values: readonly Uint8Array[], rskip126: boolean): Buffer {
  return values.length === 0 ? EMPTY_TRIE_HASH : orderedTrieRoot(values, { orchid: !rskip126 })
}
