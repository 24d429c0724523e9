/** Timeouts and limits of backfill. Times are milliseconds. */
export interface BackfillLimits {
  readonly requestTimeout: number
  readonly bodyTimeout: number
  /** Time after which the next block to be stored is requested from a second peer. */
  readonly secondTry: number
  /** Most open requests for single bodies per peer. */
  readonly openBodies: number
  /**
   * Requests reserved for following the tip, of the few that a peer which counts messages accepts at once
   * (p2p.md §4 Limits).
   */
  readonly reserve: number
  /**
   * Most headers that wait for their bodies, in count and bytes: a hash does not bound the size of the proof
   * of work.
   */
  readonly headersAhead: number
  readonly headerBytes: number
  /** Blocks after which failed peers are tried again. */
  readonly runBlocks: number
  /** Most bytes of blocks that are downloaded or requested. */
  readonly windowBytes: number
  /** Most blocks sent to the chain thread at once, in count and bytes. */
  readonly commitBlocks: number
  readonly commitBytes: number
  /** Pause after a fruitless attempt, and the longest one: each is twice as long as the one before. */
  readonly firstRest: number
  readonly longestRest: number
}

const MIB = 1024 * 1024

/** Limits of a node on a network. */
export const DEFAULT_BACKFILL_LIMITS: BackfillLimits = {
  requestTimeout: 15_000,
  bodyTimeout: 15_000,
  secondTry: 4_000,
  openBodies: 8,
  reserve: 16,
  headersAhead: 4096,
  headerBytes: 8 * MIB,
  runBlocks: 50_000,
  windowBytes: 16 * MIB,
  commitBlocks: 256,
  commitBytes: 2 * MIB,
  firstRest: 5_000,
  longestRest: 600_000,
}
