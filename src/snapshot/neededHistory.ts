import { UNCLE_GENERATIONS } from '../chain/consensus.ts'
import { FORK_DETECTION_ANCESTORS } from '../chain/forkDetection.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'

/** Depth from which the BlockHeader contract returns no block (consensus.md §8; `block_header.rs`). */
const BLOCK_HEADER_DEPTH = 4000

/** Number of blocks whose hashes a contract can read (BLOCKHASH). */
const BLOCK_HASHES = 256

/**
 * Number of recent blocks that execution and validation of the next block read: for REMASC the block whose
 * fees it pays, `maturity` below, and the span of its rewards; those of the BlockHeader contract, fork
 * detection and BLOCKHASH; plus the generations in which uncles branch off, since each of these may be a
 * block whose uncles count.
 */
export function neededHistory({ remasc }: Pick<NetworkSpec, 'remasc'>): number {
  const rewards = remasc.maturity + remasc.syntheticSpan
  return Math.max(rewards, BLOCK_HEADER_DEPTH, FORK_DETECTION_ANCESTORS, BLOCK_HASHES) + UNCLE_GENERATIONS
}
