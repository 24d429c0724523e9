import type { BlockHeader } from '../../chain/codec/header.ts'
import type { Peer } from '../../p2p/peer.ts'
import type { BranchStalls } from './branchStalls.ts'
import { keepsCheckpoint } from './checkpointCheck.ts'
import { findConnectionPoint } from './connectionPoint.ts'
import type { SessionDeps } from './sessionDeps.ts'

/** The block of our chain that a branch stands on. */
export interface BranchBase {
  readonly header: BlockHeader
  readonly totalDifficulty: bigint
}

/** Dependencies of the search. */
export interface BranchBaseDeps extends Pick<SessionDeps, 'chain' | 'checkpoints' | 'limits' | 'onFailed'> {
  readonly signal: AbortSignal
  readonly stalls: Pick<BranchStalls, 'differs' | 'unreadable'>
}

/**
 * Searches the block from which the chain of a peer is another one than ours.
 * @returns 'failed' when the peer does not show one, 'stalled' when our own chain cannot be read
 */
export async function findBranchBase(
  { chain, checkpoints, limits, onFailed, signal, stalls }: BranchBaseDeps,
  leader: Peer,
): Promise<BranchBase | 'failed' | 'stalled'> {
  const timeout = limits.requestTimeout
  const isFit = await keepsCheckpoint(leader, checkpoints, timeout, signal)
  const found = isFit
    ? await findConnectionPoint({
        peer: leader,
        reader: chain.reader,
        best: chain.tip.number,
        peerBest: leader.status?.bestNumber ?? 0,
        timeout,
        signal,
      })
    : 'failed'
  if (found === 'failed' || 'differsAt' in found) {
    if (found !== 'failed') stalls.differs(found.differsAt)
    onFailed(leader)
    return 'failed'
  }
  const header = chain.reader.headerByHash(found.hash)
  const totalDifficulty = chain.reader.totalDifficulty(found.hash)
  if (header !== null && totalDifficulty !== null) return { header, totalDifficulty }
  stalls.unreadable(found.number)
  return 'stalled'
}
