import type { MessagePort } from 'node:worker_threads'
import type { SubmissionResult } from '../../mining/interface.ts'
import type { EncodedWork } from '../../workers/miningLink.ts'
import type { NodeErrorMetadata } from '../errors.ts'
import type { ChainOptions } from '../options/chainOptions.ts'
import type { HeadStats } from './chainCore.ts'

/** What crosses between the front thread and the chain thread, beside the calls of `workers/chainLink.ts`. */

/** What the chain thread is started with. */
export interface ChainThreadSetup {
  readonly options: ChainOptions
}

/** A block as messages name it. */
export interface BlockMark {
  readonly number: number
  readonly hash: Uint8Array
}

/** What the chain thread says. */
export type ChainThreadMessage =
  /** The stores are open and the chain can be read. */
  | {
      readonly kind: 'ready'
      readonly head: BlockMark
      /** Time of the head, seconds since 1970. */
      readonly timestamp: number
      readonly pending: number
      readonly queued: number
      readonly coinbase: Uint8Array | null
      readonly restored: number
    }
  /** It could not start. */
  | { readonly kind: 'failed'; readonly error: NodeErrorMetadata }
  | {
      readonly kind: 'head'
      readonly retracted: readonly BlockMark[]
      readonly enacted: readonly BlockMark[]
      readonly pending: number
      readonly queued: number
      readonly stats: HeadStats
    }
  /** Transactions entered the pending set: see `pendingMessage.ts`. */
  | { readonly kind: 'pending'; readonly packed: Uint8Array }
  /** Whether blocks are made without being asked for. */
  | { readonly kind: 'mining'; readonly on: boolean }
  /** Why the stores take no writes; null when they do again. */
  | { readonly kind: 'store'; readonly fault: string | null }
  /** A store is of no use any more: the process has to end. */
  | { readonly kind: 'broken'; readonly error: NodeErrorMetadata }
  /** New work for miners; comes before the head that it is built on. */
  | { readonly kind: 'work'; readonly work: EncodedWork }
  /** A solution came. */
  | { readonly kind: 'submission'; readonly result: SubmissionResult; readonly age: number | null }
  /** Something failed that nobody waits for. */
  | { readonly kind: 'fault'; readonly text: string }
  /** Everything is on disk and closed. */
  | { readonly kind: 'closed' }

/** What the chain thread is told. */
export type ChainThreadOrder =
  /** Begin to make blocks. */
  | { readonly kind: 'start' }
  /** Serve the calls of another thread. */
  | { readonly kind: 'serve'; readonly port: MessagePort }
  /** Serve the peer thread (`sync/link`). */
  | { readonly kind: 'servePeers'; readonly port: MessagePort }
  /** The node stops: what makes or loads many blocks ends with the block at hand. */
  | { readonly kind: 'endRequests' }
  | { readonly kind: 'close' }
