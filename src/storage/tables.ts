/**
 * The tables of the chain store. This is the only list of them. Numbers are never reused: a removed table
 * leaves its line. Hashes are 32 bytes, heights 8 bytes big-endian, a block is height ∥ hash (`blockKey.ts`),
 * `*` repeats.
 */
export const TABLES = {
  /** name → value: format version, genesis hash, head. See `metadata.ts`. */
  metadata: 1,
  /** block → RLP of the full header. Every connected block, canonical or not. */
  headers: 2,
  /** block → RLP `[transactions, uncles]`. */
  bodies: 3,
  /** block hash → height 8 ∥ total difficulty (unsigned, big-endian); the height alone of a disconnected block. */
  totalDifficulties: 4,
  /** height → (canonical 1 ∥ block hash 32)*, the canonical block first. */
  heights: 5,
  /** transaction hash → (block hash 32 ∥ index 4)*, every connected block that holds it. */
  transactions: 6,
  /** block → RLP list of the receipts in the order of the transactions. */
  receipts: 7,
  /** block → sender (20 bytes; zeros for the reward transaction)*. */
  senders: 8,
  /** term 8 ∥ chunk 4 → heights in the chunk whose canonical block has logs with the term. See `logIndex.ts`. */
  logIndex: 9,
  // 10 was the journal of the pool, which is a file now.
  /** block hash → state root 32: states after blocks that a user of a development chain edited. */
  stateEdits: 11,
} as const

/** Name of a table. */
export type TableName = keyof typeof TABLES

/** Names of all tables, by number. */
export const TABLE_NAMES: readonly TableName[] = (Object.keys(TABLES) as TableName[]).sort(
  (a, b) => TABLES[a] - TABLES[b],
)
