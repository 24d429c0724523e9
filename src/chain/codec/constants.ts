/** Keccak-256 of the empty RLP string: hash of the empty trie (consensus.md §0.3). */
export const EMPTY_TRIE_HASH: Buffer = Buffer.from(
  '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  'hex',
)

/** Keccak-256 of the empty RLP list: uncles hash of a block without uncles (consensus.md §0.3). */
export const EMPTY_LIST_HASH: Buffer = Buffer.from(
  '1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  'hex',
)

/** Address of the reward contract. */
export const REMASC_ADDRESS: Buffer = Buffer.from('0000000000000000000000000000000001000008', 'hex')

/**
 * First block whose merged-mining hash carries fork detection data (RSKIP110): the data needs as many
 * ancestors less one.
 */
export const FORK_DETECTION_FIRST_BLOCK = 449
