import type { LogCriteria } from '../chain/logs/logCriteria.ts'
import type { EncodedTransaction } from '../txpool/encodedTransaction.ts'
import type { BlockEvent } from './chainWalk.ts'
import type { HeadNotice } from './events.ts'
import type { MemoryUse } from './memoryUse.ts'

/** Limits of filters. */
export interface FilterLimits {
  /** Milliseconds without a read after which a filter is removed. */
  readonly timeout: number
  /** Filters at the same time. */
  readonly most: number
}

/** A log filter as it is installed. */
export interface LogFilterRequest {
  readonly criteria: LogCriteria
  /** Heights outside are not reported; null for no bound. */
  readonly from: number | null
  readonly to: number | null
  /** Only this block; null for any. */
  readonly blockHash: Buffer | null
  /** The parameter of eth_getLogs (JSON text) that asks for all logs of the filter. */
  readonly query: string
}

/** The answer of another node. */
export interface FilterResult {
  readonly kind: 'result'
  /** JSON text. */
  readonly result: Uint8Array
}

/** The events since the last poll of a filter; `undo` takes the poll back, whose answer could not be delivered. */
export type FilterChanges =
  | { readonly kind: 'hashes'; readonly hashes: readonly Buffer[]; readonly undo: () => void }
  | {
      readonly kind: 'logs'
      readonly criteria: LogCriteria
      readonly blocks: readonly BlockEvent[]
      readonly undo: () => void
    }
  | FilterResult

/** Everything that a filter stands for. */
export type FilterContent =
  | { readonly kind: 'hashes'; readonly hashes: readonly Buffer[] }
  | { readonly kind: 'logs'; readonly query: string }
  | FilterResult

/** A value now, or later where a disk or another member of a fleet is waited for. */
type Eventually<T> = T | Promise<T>

/** The filters that methods reach: of this node, or of all members of a fleet. */
export interface NodeFilters {
  /** Installed filters of this node, those over their time perhaps included. */
  readonly size: number
  /**
   * Handle of a new log filter; null when there are too many.
   * @param memory of the client, from which the filter draws
   * @throws what {@link MemoryUse.draw} throws
   */
  installLogs(request: LogFilterRequest, memory?: MemoryUse | null): Eventually<string | null>
  /** Handle of a new filter for blocks; null when there are too many. @throws as {@link installLogs} */
  installBlocks(memory?: MemoryUse | null): Eventually<string | null>
  /** Handle of a new filter for pending transactions; null when there are too many. @throws as {@link installLogs} */
  installPending(memory?: MemoryUse | null): Eventually<string | null>
  /** True when there was such a filter. @param memory of the client that asks */
  uninstall(handle: string, memory?: MemoryUse | null): Eventually<boolean>
  /**
   * What happened since the filter was polled or installed; null when there is no such filter.
   * @param memory of the client that asks
   * @throws as {@link installLogs}
   */
  poll(handle: string, memory?: MemoryUse | null): Eventually<FilterChanges | null>
  /** All that the filter stands for; null when there is no such filter. @throws as {@link poll} */
  content(handle: string, memory?: MemoryUse | null): Eventually<FilterContent | null>
  /** The canonical chain changed. */
  headChanged(notice: HeadNotice): void
  /** Transactions entered the pending set. */
  pendingAdded(transactions: readonly EncodedTransaction[]): void
}

/** Hashes of blocks that joined the chain. */
export function enactedHashes(events: readonly BlockEvent[]): Buffer[] {
  return events.filter(({ removed }) => !removed).map(({ hash }) => hash)
}

/** True when a block concerns a filter for logs. */
export function concerns(
  { from, to, blockHash }: Pick<LogFilterRequest, 'from' | 'to' | 'blockHash'>,
  { number, hash }: BlockEvent,
): boolean {
  if (blockHash !== null && !blockHash.equals(hash)) return false
  return (from === null || number >= from) && (to === null || number <= to)
}
