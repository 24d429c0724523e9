import type { PackedBlocks } from '../../chain/import/messages.ts'
import type { BlockOutcome, TransactionOutcome } from '../syncChain.ts'

/**
 * Messages between the peer thread and the chain thread. Byte arrays lose their Buffer methods on the way.
 */

/** The head in messages. */
export interface TipMessage {
  readonly number: number
  readonly hash: Uint8Array
  readonly parentHash: Uint8Array
  readonly totalDifficulty: bigint
}

/** Calls of the peer thread. */
export type SyncCall =
  | { readonly call: 'connect'; readonly id: number; readonly blocks: PackedBlocks }
  | { readonly call: 'addTransactions'; readonly id: number; readonly encoded: readonly Uint8Array[] }
  /** Acknowledges the oldest event: others may follow it. */
  | { readonly call: 'acknowledge' }

/** Responses and events of the chain thread. */
export type SyncLinkEvent =
  | { readonly kind: 'connected'; readonly id: number; readonly outcomes: readonly BlockOutcome[] }
  | { readonly kind: 'added'; readonly id: number; readonly outcomes: readonly TransactionOutcome[] }
  /** The call failed, which says nothing about its blocks or transactions. */
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string }
  /** The head, initially and after changes, with the most recent blocks that joined, oldest first. */
  | {
      readonly kind: 'tip'
      readonly tip: TipMessage
      readonly enacted: readonly { readonly number: number; readonly hash: Uint8Array }[]
    }
  /** Pending transactions: initially all of them, then those that become pending. */
  | { readonly kind: 'transactions'; readonly encoded: readonly Uint8Array[] }
