import type { ChainStoreReader } from '../chain/chainStoreReader.ts'
import type { BlockRule } from '../chain/validation/blockRules.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'

/** The best block and the difficulty of the chain up to it, uncles included. */
export interface ChainTip {
  readonly number: number
  readonly hash: Buffer
  readonly parentHash: Buffer
  readonly totalDifficulty: bigint
}

/** The rule that a block broke, with its expected and found value. */
export interface BlockRefusal {
  readonly number: number
  readonly hash: Buffer
  readonly rule: BlockRule
  readonly expected: string
  readonly found: string
}

/** Result of connecting a block. */
export type BlockOutcome =
  | { readonly status: 'IMPORTED_BEST' | 'IMPORTED_NOT_BEST' | 'EXIST' | 'NO_PARENT' | 'TOO_OLD' }
  | { readonly status: 'INVALID_BLOCK'; readonly refusal: BlockRefusal }
  /** An internal error, which says nothing about the block: no peer is at fault. */
  | { readonly status: 'UNDECIDED'; readonly reason: string }

/** Result of adding a transaction of a peer. */
export type TransactionOutcome = 'added' | 'known' | 'refused' | 'invalid'

/** A change of the canonical chain. */
export interface TipChange {
  readonly tip: ChainTip
  /** Blocks that joined, oldest first. */
  readonly enacted: readonly { readonly number: number; readonly hash: Buffer }[]
}

/** The chain of this node for peers and synchronisation; another thread writes it. */
export interface SyncChain {
  readonly spec: NetworkSpec
  /** Decoded reads of the latest committed blocks. */
  readonly reader: ChainStoreReader
  /** Makes later commits visible to {@link reader}. */
  refresh(): void
  readonly tip: ChainTip
  /**
   * Validates, executes and stores blocks in order, in one commit; they are durable when this resolves. Ends
   * with the first that is rejected or undecided. Calls may overlap: they are processed in order.
   * @param blocks RLP of whole blocks
   * @returns one outcome per block that was looked at
   */
  connect(blocks: readonly Buffer[]): Promise<readonly BlockOutcome[]>
  /** Adds transactions to the pool. @returns one outcome each */
  addTransactions(encoded: readonly Buffer[]): Promise<readonly TransactionOutcome[]>
  /** Calls a listener after every change of the head; returns a function that removes it. */
  onTip(listener: (change: TipChange) => void): () => void
  /**
   * Calls a listener with transactions that became pending, from whatever source; returns a function that
   * removes it.
   */
  onTransactions(listener: (encoded: readonly Buffer[]) => void): () => void
}
