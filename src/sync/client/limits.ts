import type { StallLimits } from '../halt/stalls.ts'

/** Timeouts and limits of synchronisation. Times are milliseconds. */
export interface SyncLimits extends StallLimits {
  /** Time that the first choice of a peer waits for the status of {@link enoughPeers}. */
  readonly waitForPeers: number
  /** Number of peers with which the best is chosen at once. */
  readonly enoughPeers: number
  /** Maximum age of a status (p2p.md §5). */
  readonly statusAge: number
  /** Timeouts of requests about the chain, and for a body (p2p.md §5 has 30 s for both). */
  readonly requestTimeout: number
  readonly bodyTimeout: number
  /** Time after which the block that the chain waits for is requested from a second peer. */
  readonly secondTry: number
  /** Most open requests per peer, for bodies and for headers. */
  readonly openBodies: number
  readonly openHeaders: number
  /** Chunks of headers fetched ahead of validation. */
  readonly chunksAhead: number
  /** Requests per minute and peer that bodies leave to urgent messages. */
  readonly reserve: number
  /** Most checked headers that wait for their bodies: the longest branch before it outweighs the head. */
  readonly branchHeaders: number
  readonly branchBytes: number
  /** Most bytes of blocks that are requested or downloaded and not yet connected. */
  readonly windowBytes: number
  /** Most blocks of one commit, in count and bytes. */
  readonly commitBlocks: number
  readonly commitBytes: number
  /** Time after which a branch without new headers or blocks is abandoned. */
  readonly patience: number
  /** Pause of a failed peer after its first failure; each further one is four times as long. */
  readonly failureRest: number
  /** Time in which a failed peer ranks below others, and the longest pause (p2p.md §5). */
  readonly failureMemory: number
  /** Time for announcements to close a small gap before the branch is fetched as a whole. */
  readonly grace: number
  /** Bytes of side blocks that one subnet may make us store per day, and all together. */
  readonly sideBytesPerGroup: number
  readonly sideBytes: number
  /**
   * Most bytes of announced blocks that wait for an ancestor, per peer and in total, and the deepest gap. As
   * much again may wait for validation.
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
  stallRest: 2_000,
  longestStallRest: 60_000,
  stallPatience: 600_000,
  stallMemory: 1_800_000,
  waitingBytesPerPeer: 2 * MIB,
  waitingBytes: 32 * MIB,
  missingAncestors: 32,
}
