import type { Block } from './codec/block.ts'
import type { BlockHeader } from './codec/header.ts'

/** What execution made of a block that keeps every rule. */
export interface ExecutedBlock {
  /** RLP list of the receipts, in the order of the transactions. */
  readonly receipts: Buffer
}

/**
 * Execution as the chain needs it: it knows states by the header of the block they come after. Implemented
 * in `src/execution`.
 */
export interface BlockExecutor {
  /**
   * Executes a block on the state after its parent, compares what comes out with the header
   * (consensus.md §4.5) and keeps the new state, readable at once and durable with the next
   * {@link commit}.
   * @throws InvalidBlockError
   */
  execute(block: Block, parent: BlockHeader): ExecutedBlock
  /** Makes a block that was executed known to the blocks above it (BLOCKHASH, REMASC, BlockHeader). */
  connected(block: Block, totalDifficulty: bigint): void
  /** Says that a connected block is the head: its state is the one that is read most. */
  headChanged(head: BlockHeader): void
  /** Nonce of an account (20 bytes, or the reward sender's single byte) in the state after a block. */
  nonceAfter(block: BlockHeader, account: Buffer): bigint
  /** Whether the state after a block is there. */
  hasStateAfter(block: BlockHeader): boolean
  /** Makes every state kept so far durable. */
  commit(): void
}
