import type { PackedBlocks } from '../../chain/import/messages.ts'
import type { BlockOutcome, TransactionOutcome } from '../syncChain.ts'

/** What crosses between the peer thread and the chain thread. Byte arrays lose their Buffer methods on the way. */

/** The head as it crosses threads. */
export interface TipMessage {
  readonly number: number
  readonly hash: Uint8Array
  readonly parentHash: Uint8Array
  readonly totalDifficulty: bigint
}

/** What the peer thread asks for. */
export type SyncCall =
  | { readonly call: 'connect'; readonly id: number; readonly blocks: PackedBlocks }
  | { readonly call: 'addTransactions'; readonly id: number; readonly encoded: readonly Uint8Array[] }
  /** The oldest notice of the head or of transactions was dealt with: others may follow it. */
  | { readonly call: 'heard' }

/** What the chain thread says. */
export type SyncLinkEvent =
  | { readonly kind: 'connected'; readonly id: number; readonly outcomes: readonly BlockOutcome[] }
  | { readonly kind: 'added'; readonly id: number; readonly outcomes: readonly TransactionOutcome[] }
  /** The call failed, which says nothing about what was given. */
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string }
  /** The head, at first and after changes; the newest of the blocks that joined, oldest first. */
  | {
      readonly kind: 'tip'
      readonly tip: TipMessage
      readonly enacted: readonly { readonly number: number; readonly hash: Uint8Array }[]
    }
  /** Transactions are pending: those that were, at first, then those that enter the set. */
  | { readonly kind: 'transactions'; readonly encoded: readonly Uint8Array[] }
