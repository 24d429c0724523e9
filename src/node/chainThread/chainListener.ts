import type { PrunedStates } from '../../chain/statePruning.ts'
import type { PrunedValues } from '../../chain/valuePruning.ts'
import type { HeadNotice } from '../../filters/events.ts'
import type { ProducerMode } from '../../mining/blockProducer.ts'
import type { WorkListener } from '../../mining/interface.ts'
import type { StorageError } from '../../storage/errors.ts'
import type { EncodedTransaction } from '../../txpool/encodedTransaction.ts'
import type { NodeError } from '../errors.ts'

/** Figures of a change of the head. */
export interface HeadStats {
  /** Time of the head, seconds since 1970. */
  readonly timestamp: number
  /** Transactions of the blocks that joined, and the gas that they used. */
  readonly transactions: number
  readonly gas: number
  /** Seconds that connecting them took. */
  readonly seconds: number
}

/** The listener of the chain. */
export interface ChainListener extends WorkListener {
  /** The head changed and the blocks can be read. */
  onHead(notice: HeadNotice, stats: HeadStats): void
  /** A block of this height was executed that waits to be adopted: it can be read by its hash. */
  onExecuted(height: number): void
  /** Transactions entered the pending set, or came back to it by a reorganisation. */
  onPending(transactions: readonly EncodedTransaction[]): void
  /** A transaction left the pool because no block of a fork can have it. @param hash without 0x */
  onUnreadable(hash: string, reason: string): void
  /** Users changed something else that can be read: what blocks are made with, the pool, blocks beside the chain. */
  onChange(): void
  /** Somebody switched how blocks are made. */
  onMode(mode: ProducerMode): void
  /** The stores take no writes any more, and why; null when they do again. */
  onStore(fault: StorageError | null): void
  /** States of old blocks were given up. */
  onPruned(pruned: PrunedStates | PrunedValues): void
  /** A store is of no use any more in this process, which has to end. */
  onBroken(error: NodeError): void
}
