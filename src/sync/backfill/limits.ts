/** What backward fill waits for and how much it holds. Times are milliseconds. */
export interface BackfillLimits {
  readonly requestTimeout: number
  readonly bodyTimeout: number
  /** The block that is stored next is asked of a second peer after this time. */
  readonly secondTry: number
  /** Questions for single bodies that one peer may have open. */
  readonly openBodies: number
  /**
   * Questions that are left to those who follow the tip, of the few that a peer which counts messages takes at once
   * (p2p.md §4 Limits).
   */
  readonly reserve: number
  /** Headers that wait for their bodies, in count and bytes: a hash leaves out how the work is proven. */
  readonly headersAhead: number
  readonly headerBytes: number
  /** Blocks after which peers are looked at anew: those that failed, or left, are remembered until then. */
  readonly runBlocks: number
  /** Bytes of blocks that are here or asked for. */
  readonly windowBytes: number
  /** Blocks that go to the chain thread at once, in count and bytes. */
  readonly commitBlocks: number
  readonly commitBytes: number
  /** Rest after a try that brought nothing, and the longest: each is twice as long as the one before. */
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
