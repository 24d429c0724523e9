import type { MessagePort } from 'node:worker_threads'
import type { PrunedStates } from '../../chain/statePruning.ts'
import type { PrunedValues } from '../../chain/valuePruning.ts'
import type { HeadNotice } from '../../filters/events.ts'
import type { MiningWork, SubmissionResult } from '../../mining/interface.ts'
import type { NodeErrorMetadata } from '../errors.ts'
import type { ChainOptions } from '../options/chainOptions.ts'
import type { HeadStats } from './chainListener.ts'

/** The messages between the front thread and the chain thread, beside the calls of `node/chainThread/chainService.ts`. */

/** Sizes of the pool. */
export interface PoolStats {
  readonly pending: number
  readonly queued: number
}

/** The choices of the block maker, as far as answers depend on them. */
export interface BlockChoices {
  /** Account that is paid, 20 bytes; null where there is none. */
  readonly coinbase: Buffer | null
  /** The target of the minimum gas price, wei; null where others make the blocks. */
  readonly priceTarget: bigint | null
}

/** The options with which the chain thread is started. */
export interface ChainThreadSetup {
  readonly options: ChainOptions
  /** To the front thread: its calls and their answers, and every {@link ChainEvent}. */
  readonly front: MessagePort
}

/**
 * What happens in the chain thread. Events come over the port of the front thread's calls, in order among the answers:
 * who has the answer of a call finds the front thread without whatever was cached before it.
 */
export type ChainEvent =
  | {
      readonly kind: 'head'
      readonly notice: HeadNotice
      readonly pool: PoolStats
      readonly stats: HeadStats
    }
  /** A block of this height can be read by its hash, and is not canonical yet. */
  | { readonly kind: 'executed'; readonly height: number }
  /** Transactions entered the pending set: see `pendingMessage.ts`. */
  | { readonly kind: 'pending'; readonly packed: Uint8Array }
  /** True when blocks are made without being asked for. */
  | { readonly kind: 'mining'; readonly on: boolean }
  /** A transaction left the pool because no block of a fork can have it; the hash as 0x hex. */
  | { readonly kind: 'unreadable'; readonly hash: string; readonly reason: string }
  /** Users changed something else that answers depend on. */
  | ({ readonly kind: 'changed' } & BlockChoices)
  /** Reason why the stores take no writes; null when they do again. */
  | { readonly kind: 'store'; readonly fault: string | null }
  /** States of old blocks were given up. */
  | ({ readonly kind: 'pruned' } & (PrunedStates | PrunedValues))
  /** New work for miners; comes before the head that it is built on. */
  | { readonly kind: 'work'; readonly work: MiningWork }
  /** A solution came. */
  | { readonly kind: 'submission'; readonly result: SubmissionResult; readonly age: number | null }
  /** Something failed that nobody waits for. */
  | { readonly kind: 'fault'; readonly text: string }

/** Messages at the start and the end of the chain thread. */
export type ChainThreadMessage =
  /** The stores are open and the chain can be read. */
  | {
      readonly kind: 'ready'
      /** Height of the head. */
      readonly head: number
      /** Time of the head, seconds since 1970. */
      readonly timestamp: number
      readonly pool: PoolStats
      readonly coinbase: Uint8Array | null
      readonly priceTarget: bigint | null
      readonly restored: number
    }
  /** It could not start. */
  | { readonly kind: 'failed'; readonly error: NodeErrorMetadata }
  /** A store is of no use any more: the process has to end. */
  | { readonly kind: 'broken'; readonly error: NodeErrorMetadata }
  /** Everything is on disk and closed. */
  | { readonly kind: 'closed' }

/** The orders to the chain thread. */
export type ChainThreadOrder =
  /** Begin to make blocks. */
  | { readonly kind: 'start' }
  /** Serve the calls of another thread. */
  | { readonly kind: 'serve'; readonly port: MessagePort }
  /** Serve the peer thread (`sync/link`). */
  | { readonly kind: 'servePeers'; readonly port: MessagePort }
  /** Serve the fleet thread (`fleet/interface.ts`), which serves its publisher over the same port. */
  | { readonly kind: 'serveFleet'; readonly port: MessagePort }
  /** The node stops: what makes or loads many blocks ends with the block at hand. */
  | { readonly kind: 'endRequests' }
  | { readonly kind: 'close' }
