import type { Peer } from '../../p2p/peer.ts'
import type { Stalls } from '../halt/stalls.ts'
import type { BlockRefusal, SyncChain } from '../syncChain.ts'
import type { BodyMatch } from './bodyMatch.ts'
import type { BranchBudget } from './branchBudget.ts'
import type { Checkpoints } from './checkpointCheck.ts'
import type { HeaderCheck } from './headerCheck.ts'
import type { SyncLimits } from './limits.ts'
import type { PeerClaims } from './peerClaims.ts'
import type { RefusedBranches } from './refusedBranches.ts'
import type { SyncStatsCollector } from './syncStats.ts'

/** Result of a branch. */
export type SessionEnd =
  /** All of it is connected. */
  | 'done'
  /** No peer provides more of it, or it is not what was announced; another peer is to be chosen. */
  | 'failed'
  /** It contains a rejected block. */
  | 'refused'
  /** This node cannot follow it now, which is no fault of a peer: it is tried again later. */
  | 'stalled'
  | 'stopped'

/** Dependencies of whatever takes blocks from peers and has them checked. */
export interface CheckingDeps {
  readonly chain: SyncChain
  readonly limits: SyncLimits
  readonly check: HeaderCheck
  readonly match: BodyMatch
  readonly checkpoints: Checkpoints
  readonly refused: RefusedBranches
  readonly stalls: Pick<Stalls, 'isResting' | 'met' | 'record'>
  readonly budget: BranchBudget
  readonly progress: SyncStatsCollector
  /** Milliseconds, steady. */
  readonly now: () => number
}

/** Dependencies of a session. */
export interface SessionDeps extends CheckingDeps {
  readonly height: Pick<PeerClaims, 'proved'>
  /** A number from 0 to below 1. */
  readonly random: () => number
  /** Peers that claim more work than our head, best first. */
  leaders(): readonly Peer[]
  /** Total difficulty that a branch must be able to exceed before its bodies are fetched. */
  threshold(): bigint
  /** Called when a peer failed. */
  onFailed(peer: Peer): void
  /** Called when a peer did not show the work that it claims. */
  onUnkept(peer: Peer): void
  /** Called when peers announce a branch with a block that the chain rejected. */
  onRefused(refusal: BlockRefusal, offering: readonly Peer[], leader: Peer, weight: bigint): void
  /** Called when the branch outweighs the threshold. */
  onOutweighs(): void
}
