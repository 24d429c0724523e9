import type { ChainStatus } from '../../p2p/messages/rskMessage.ts'
import type { SyncChain } from '../syncChain.ts'

/** A status with all four elements. */
export type WholeStatus = ChainStatus & { readonly bestParentHash: Buffer; readonly totalDifficulty: bigint }

/** First block after genesis. */
const FIRST_BLOCK = 1

/**
 * The status that this node announces. A node whose backfill is incomplete announces genesis as its best
 * block (p2p.md §5): nobody could synchronise from it.
 */
export function announcedStatus(chain: Pick<SyncChain, 'tip' | 'reader'>): WholeStatus {
  const { tip, reader } = chain
  const genesis = reader.history().firstBlock > FIRST_BLOCK ? reader.headerByNumber(0) : null
  if (genesis === null) {
    const { number, hash, parentHash, totalDifficulty } = tip
    return { bestNumber: number, bestHash: hash, bestParentHash: parentHash, totalDifficulty }
  }
  return {
    bestNumber: 0,
    bestHash: genesis.hash,
    bestParentHash: genesis.parentHash,
    totalDifficulty: reader.totalDifficulty(genesis.hash) ?? genesis.difficulty,
  }
}
