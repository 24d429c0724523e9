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

/** Which rule a block broke, with what it asks for and what was found. */
export interface BlockRefusal {
  readonly number: number
  readonly hash: Buffer
  readonly rule: BlockRule
  readonly expected: string
  readonly found: string
}

/** What became of a block that was given to the chain. */
export type BlockOutcome =
  | { readonly status: 'IMPORTED_BEST' | 'IMPORTED_NOT_BEST' | 'EXIST' | 'NO_PARENT' | 'TOO_OLD' }
  | { readonly status: 'INVALID_BLOCK'; readonly refusal: BlockRefusal }
  /** An error of this node, which says nothing about the block: nobody is blamed. */
  | { readonly status: 'UNDECIDED'; readonly reason: string }

/** What became of a transaction that a peer sent. */
export type TransactionOutcome = 'added' | 'known' | 'refused' | 'invalid'

/** A change of the canonical chain. */
export interface TipChange {
  readonly tip: ChainTip
  /** Blocks that joined, oldest first. */
  readonly enacted: readonly { readonly number: number; readonly hash: Buffer }[]
}

/** The chain of this node as peers and synchronisation use it; it is written by another thread. */
export interface SyncChain {
  readonly spec: NetworkSpec
  /** The newest committed blocks; decoded reads of the stores. */
  readonly reader: ChainStoreReader
  /** Lets {@link reader} see what was committed since. */
  refresh(): void
  readonly tip: ChainTip
  /**
   * Judges, executes and stores blocks in order, in one commit; they are durable when this resolves. Ends with the
   * first that is refused or undecided. A call may be made before the one before it is answered: they are dealt with
   * in their order.
   * @param blocks RLP of whole blocks
   * @returns one outcome per block that was looked at
   */
  connect(blocks: readonly Buffer[]): Promise<readonly BlockOutcome[]>
  /** Offers transactions to the pool. @returns one outcome each */
  addTransactions(encoded: readonly Buffer[]): Promise<readonly TransactionOutcome[]>
  /** Called after every change of the head; returns what ends that. */
  onTip(listener: (change: TipChange) => void): () => void
  /** Called with transactions that entered the pending set, wherever they came from; returns what ends that. */
  onTransactions(listener: (encoded: readonly Buffer[]) => void): () => void
}
