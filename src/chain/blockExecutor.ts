import type { Block } from './codec/block.ts'
import type { BlockHeader } from './codec/header.ts'

/** The result of executing a valid block. */
export interface ExecutedBlock {
  /** RLP list of the receipts, in the order of the transactions. */
  readonly receipts: Buffer
}

/**
 * Block execution as the chain uses it: a state is identified by the header of the block after which it
 * holds. Implemented in `src/execution`.
 */
export interface BlockExecutor {
  /**
   * Executes a block on the state after its parent, compares the results with the header (consensus.md §4.5)
   * and stores the new state, which is readable at once and durable after the next {@link commit}.
   * @throws InvalidBlockError
   */
  execute(block: Block, parent: BlockHeader): ExecutedBlock
  /** Makes an executed block available to the blocks above it (BLOCKHASH, REMASC, BlockHeader). */
  connected(block: Block, totalDifficulty: bigint): void
  /** Announces the new head, whose state is read most. */
  headChanged(head: BlockHeader): void
  /** True when a change of the head can begin at a block: the newest states are known up to it, or to one above it. */
  followsFrom(block: BlockHeader): boolean
  /** Nonce of an account (20 bytes, or the reward sender's single byte) in the state after a block. */
  nonceAfter(block: BlockHeader, account: Buffer): bigint
  /** True when the state after a block is stored. */
  hasStateAfter(block: BlockHeader): boolean
  /** Makes every state stored so far durable. */
  commit(): void
}
