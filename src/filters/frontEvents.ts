import type { EncodedTransaction } from '../txpool/encodedTransaction.ts'
import type { EventConnection } from './eventConnection.ts'
import type { EventSources, EventTexts, HeadNotice, SyncNotice } from './events.ts'
import { FilterRegistry } from './filterRegistry.ts'
import type { FilterLimits, NodeFilters } from './filters.ts'
import type { MemoryUse } from './memoryUse.ts'
import { SubscriptionHub } from './subscriptionHub.ts'

/** Limits of filters and subscriptions. */
export interface EventLimits {
  readonly filters: FilterLimits
  /** Subscriptions of one connection. */
  readonly subscriptions: number
}

/** Limits unless configured otherwise: 5 minutes as the reference node (rpc.md §5). */
export const DEFAULT_EVENT_LIMITS: EventLimits = {
  filters: { timeout: 300_000, most: 10_000 },
  subscriptions: 1000,
}

/** Makes the filters that requests use. @param open makes those of this node, with handles of its own or other ones */
export type FilterOpener = (open: (createHandle?: () => string) => NodeFilters) => NodeFilters

/**
 * Filters and subscriptions of the node. They live in the front thread, so that no worker's death ends
 * them; methods reach them through the context of that thread.
 */
export class FrontEvents {
  readonly filters: NodeFilters
  readonly subscriptions: SubscriptionHub
  /** Connection of the request that runs; null over HTTP. Set before each request of the front thread. */
  connection: EventConnection | null = null
  /** Memory of the client whose request runs; null where nobody counts. Set with {@link connection}. */
  memory: MemoryUse | null = null
  /**
   * A signal that is aborted when the client of the request that runs goes away or the node stops, with the error to
   * answer with; null where methods do not wait. To be asked before a method first waits. Set with {@link connection}.
   */
  signal: (() => AbortSignal) | null = null

  /** @param filters makes the filters of those that this node has in memory; these alone unless given */
  constructor(
    sources: EventSources,
    texts: EventTexts,
    limits: EventLimits,
    filters: FilterOpener = (open) => open(),
  ) {
    this.filters = filters((createHandle) => new FilterRegistry(limits.filters, undefined, createHandle))
    this.subscriptions = new SubscriptionHub({
      ...sources,
      events: texts,
      mostPerConnection: limits.subscriptions,
    })
  }

  /** The canonical chain changed; the blocks can be read. */
  headChanged(notice: HeadNotice): void {
    this.filters.headChanged(notice)
    this.subscriptions.headChanged(notice)
  }

  /** Transactions entered the pending set, or came back to it by a reorganisation. */
  pendingAdded(transactions: readonly EncodedTransaction[]): void {
    this.filters.pendingAdded(transactions)
    this.subscriptions.pendingAdded(transactions)
  }

  /** Synchronisation began or ended. */
  syncingChanged(progress: SyncNotice | null): void {
    this.subscriptions.syncingChanged(progress)
  }
}
