import { FORK_DETECTION_ANCESTORS } from '../chain/forkDetection.ts'
import { UNCLE_GENERATIONS } from '../config/consensus.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'

/** Depth from which the BlockHeader contract knows no block any more (consensus.md §8; `block_header.rs`). */
const BLOCK_HEADER_DEPTH = 4000

/** Blocks whose hashes a program can ask for (BLOCKHASH). */
const BLOCK_HASHES = 256

/**
 * Blocks, the newest included, that the next block's execution and validation read: REMASC the block whose fees it
 * pays, which is `maturity` below, with the span that it must not be younger than; the BlockHeader contract, fork
 * detection, BLOCKHASH; and the generations in which uncles branch off, on top, since each of these may be a block
 * whose uncles count.
 */
export function neededHistory({ remasc }: Pick<NetworkSpec, 'remasc'>): number {
  const rewards = remasc.maturity + remasc.syntheticSpan
  return Math.max(rewards, BLOCK_HEADER_DEPTH, FORK_DETECTION_ANCESTORS, BLOCK_HASHES) + UNCLE_GENERATIONS
}
