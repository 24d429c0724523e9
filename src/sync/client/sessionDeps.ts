import type { Peer } from '../../p2p/peer.ts'
import type { BlockRefusal, SyncChain } from '../syncChain.ts'
import type { BodyMatch } from './bodyMatch.ts'
import type { BranchBudget } from './branchBudget.ts'
import type { Checkpoints } from './checkpointCheck.ts'
import type { HeaderCheck } from './headerCheck.ts'
import type { SyncLimits } from './limits.ts'
import type { RefusedBranches } from './refusedBranches.ts'
import type { SyncStatsCollector } from './syncStats.ts'

/** What became of a branch. */
export type SessionEnd =
  /** All of it is connected. */
  | 'done'
  /** Nobody gives more of it, or it is not what it was said to be; another peer is to be chosen. */
  | 'failed'
  /** A block of it was refused. */
  | 'refused'
  /** This node could not judge a block: nobody is blamed, it is tried again later. */
  | 'undecided'
  | 'stopped'

/** What a branch is fetched and connected with. */
export interface SessionDeps {
  readonly chain: SyncChain
  readonly limits: SyncLimits
  readonly check: HeaderCheck
  readonly match: BodyMatch
  readonly checkpoints: Checkpoints
  readonly refused: RefusedBranches
  readonly budget: BranchBudget
  readonly progress: SyncStatsCollector
  /** Milliseconds, steady. */
  readonly now: () => number
  /** A number from 0 to below 1. */
  readonly random: () => number
  /** Peers that claim more work than our head, best first. */
  leaders(): readonly Peer[]
  /** Total difficulty that a branch must be able to exceed before a body of it is fetched. */
  threshold(): bigint
  /** A peer did not do its part. */
  onFailed(peer: Peer): void
  /** Peers offer a branch with a block that the chain refused. */
  onRefused(refusal: BlockRefusal, offering: readonly Peer[], leader: Peer, weight: bigint): void
  /** The branch outweighs the threshold. */
  onOutweighs(): void
}
