/** What synchronisation waits for and how much it holds. Times are milliseconds. */
export interface SyncLimits {
  /** How long the first choice of a peer waits until {@link enoughPeers} have told their status. */
  readonly waitForPeers: number
  /** With so many peers the best is chosen at once. */
  readonly enoughPeers: number
  /** How old a status may be (p2p.md §5). */
  readonly statusAge: number
  /** Time for an answer to a question about the chain, and for a body (p2p.md §5 has 30 s for both). */
  readonly requestTimeout: number
  readonly bodyTimeout: number
  /** The block that the chain waits for is asked of a second peer after this time. */
  readonly secondTry: number
  /** Questions that one peer may have open at once, for bodies and for headers. */
  readonly openBodies: number
  readonly openHeaders: number
  /** Chunks of headers that are fetched ahead of the one that is checked next. */
  readonly chunksAhead: number
  /** Questions that bodies leave in a peer's minute for what cannot wait. */
  readonly reserve: number
  /** Checked headers that wait for their bodies: how long a branch may be before it outweighs the head. */
  readonly branchHeaders: number
  readonly branchBytes: number
  /** Bytes of blocks that were downloaded or asked for and are not connected yet. */
  readonly windowBytes: number
  /** Blocks of one commit, at most, in count and bytes. */
  readonly commitBlocks: number
  readonly commitBytes: number
  /** A branch is given up that brings neither headers nor blocks for this time. */
  readonly patience: number
  /** How long a peer that failed is not chosen, the first time; each further time four times as long. */
  readonly failureRest: number
  /** How long a peer that failed is chosen after those that did not, and the longest rest (p2p.md §5). */
  readonly failureMemory: number
  /** Time for announcements to close a small gap before the branch is asked for as a whole. */
  readonly grace: number
  /** Bytes of blocks beside the chain that one block of addresses may make us store in a day, and all together. */
  readonly sideBytesPerGroup: number
  readonly sideBytes: number
  /** Independent peers with more work that must insist on a block that we refuse before synchronisation halts. */
  readonly insisting: number
  /**
   * Bytes of announced blocks that wait for an ancestor, of one peer and of all, and how deep the gap may be. As much
   * again may wait for the chain's judgement.
   */
  readonly waitingBytesPerPeer: number
  readonly waitingBytes: number
  readonly missingAncestors: number
}

const MIB = 1024 * 1024

/** Limits of a node on a network. */
export const DEFAULT_SYNC_LIMITS: SyncLimits = {
  waitForPeers: 15_000,
  enoughPeers: 5,
  statusAge: 600_000,
  requestTimeout: 15_000,
  bodyTimeout: 15_000,
  secondTry: 4_000,
  openBodies: 16,
  openHeaders: 2,
  chunksAhead: 8,
  reserve: 2,
  branchHeaders: 20_000,
  branchBytes: 32 * MIB,
  windowBytes: 64 * MIB,
  commitBlocks: 512,
  commitBytes: 8 * MIB,
  patience: 60_000,
  failureRest: 2_000,
  failureMemory: 600_000,
  grace: 3_000,
  sideBytesPerGroup: 32 * MIB,
  sideBytes: 256 * MIB,
  insisting: 3,
  waitingBytesPerPeer: 2 * MIB,
  waitingBytes: 32 * MIB,
  missingAncestors: 32,
}
