import type { LogCriteria } from '../chain/logs/logCriteria.ts'
import { LogCursor } from '../chain/logs/logCursor.ts'
import type { MiningWork } from '../mining/interface.ts'
import type { BlockReference } from '../storage/blockKey.ts'
import type { EventChain, EventTexts, HeadNotice, PendingNotice, SyncNotice } from './events.ts'
import { EventFrame } from './frame.ts'
import { createHandle } from './handle.ts'
import { LogSubscribers } from './logSubscribers.ts'
import { type MemoryUse, subscriptionBytes } from './memoryUse.ts'

/** Subscriptions of all connections of a client. */
export interface SubscriptionBudget {
  subscriptions: number
  /** How many there may be; 0 is any number. */
  readonly limits: { readonly subscriptions: number }
}

/** A client connection that takes notifications. */
export interface EventConnection {
  /** Shared with other connections of its client; none where they do not count together. */
  readonly budget?: SubscriptionBudget
  /** Memory of its client, from which subscriptions draw; none where nobody counts. */
  readonly memory?: MemoryUse
  /** Sends bytes that are overwritten after the call. Whether the client keeps up is the connection's matter. */
  notify(frame: Uint8Array): void
}

/** What can be subscribed to. */
export type SubscriptionTopic =
  | { readonly kind: 'newHeads' }
  | { readonly kind: 'logs'; readonly criteria: LogCriteria }
  | { readonly kind: 'newPendingTransactions'; readonly full: boolean }
  | { readonly kind: 'syncing' }
  /** Work for merged mining; an extension. */
  | { readonly kind: 'newWork' }

interface Subscription {
  readonly handle: string
  readonly connection: EventConnection
  readonly topic: SubscriptionTopic
  /** Memory that it takes. */
  readonly bytes: number
}

/** What a hub is made of. */
export interface SubscriptionHubOptions {
  readonly chain: EventChain
  readonly texts: EventTexts
  /** Subscriptions of one connection. */
  readonly mostPerConnection: number
}

/** Sends events to subscribers. Each event is written once, however many take it. */
export class SubscriptionHub {
  readonly #chain: EventChain
  readonly #texts: EventTexts
  readonly #mostPerConnection: number
  readonly #connections = new Map<EventConnection, Map<string, Subscription>>()
  readonly #heads = new Set<Subscription>()
  readonly #logs = new LogSubscribers<Subscription>()
  readonly #pendingHashes = new Set<Subscription>()
  readonly #pendingObjects = new Set<Subscription>()
  readonly #syncing = new Set<Subscription>()
  readonly #work = new Set<Subscription>()

  constructor(options: SubscriptionHubOptions) {
    this.#chain = options.chain
    this.#texts = options.texts
    this.#mostPerConnection = options.mostPerConnection
  }

  /** Subscriptions of all connections. */
  get size(): number {
    let size = 0
    for (const subscriptions of this.#connections.values()) size += subscriptions.size
    return size
  }

  /**
   * Handle of a new subscription; null when the connection has too many.
   * @throws what {@link MemoryUse.draw} throws
   */
  subscribe(connection: EventConnection, topic: SubscriptionTopic): string | null {
    const own = this.#connections.get(connection) ?? new Map<string, Subscription>()
    if (own.size >= this.#mostPerConnection || !isWithin(connection.budget)) return null
    const bytes = subscriptionBytes(topic.kind === 'logs' ? topic.criteria : null)
    connection.memory?.draw(bytes)
    if (connection.budget !== undefined) connection.budget.subscriptions += 1
    const subscription = { handle: createHandle(), connection, topic, bytes }
    own.set(subscription.handle, subscription)
    this.#connections.set(connection, own)
    if (topic.kind === 'logs') this.#logs.add(subscription, topic.criteria)
    else this.#setOf(topic).add(subscription)
    return subscription.handle
  }

  /** Ends a subscription of this connection; false when it has none of that handle. */
  unsubscribe(connection: EventConnection, handle: string): boolean {
    const own = this.#connections.get(connection)
    const subscription = own?.get(handle)
    if (own === undefined || subscription === undefined) return false
    own.delete(handle)
    if (connection.budget !== undefined) connection.budget.subscriptions -= 1
    if (own.size === 0) this.#connections.delete(connection)
    this.#forget(subscription)
    return true
  }

  /** Ends everything of a connection that is closed. */
  drop(connection: EventConnection): void {
    const own = this.#connections.get(connection)
    for (const subscription of own?.values() ?? []) this.#forget(subscription)
    if (connection.budget !== undefined) connection.budget.subscriptions -= own?.size ?? 0
    this.#connections.delete(connection)
  }

  /**
   * Logs of the blocks that left the chain as removed ones, newest block first, logs of those that joined it,
   * then their headers.
   */
  headChanged({ retracted, enacted }: HeadNotice): void {
    if (this.#logs.size > 0) {
      for (const block of retracted) this.#sendLogs(block, true)
      for (const block of enacted) this.#sendLogs(block, false)
    }
    if (this.#heads.size === 0) return
    for (const { hash } of enacted) {
      const header = this.#chain.headerByHash(hash)
      if (header !== null) send(this.#heads, new EventFrame(this.#texts.header(header)))
    }
  }

  /** Transactions entered the pending set, or came back to it. */
  pendingAdded(notices: readonly PendingNotice[]): void {
    for (const notice of notices) {
      if (this.#pendingHashes.size > 0) {
        send(this.#pendingHashes, new EventFrame(`"0x${notice.hash.toString('hex')}"`))
      }
      if (this.#pendingObjects.size > 0) {
        send(this.#pendingObjects, new EventFrame(this.#texts.pendingTransaction(notice)))
      }
    }
  }

  /** Synchronisation began (with its progress) or ended (null). */
  syncingChanged(progress: SyncNotice | null): void {
    if (this.#syncing.size > 0) send(this.#syncing, new EventFrame(this.#texts.syncing(progress)))
  }

  /** There is new work for miners. */
  workBuilt(work: MiningWork): void {
    if (this.#work.size > 0) send(this.#work, new EventFrame(this.#texts.work(work)))
  }

  /** Whether anybody takes work as it comes. */
  get wantsWork(): boolean {
    return this.#work.size > 0
  }

  #sendLogs(block: BlockReference, removed: boolean): void {
    const receipts = this.#chain.storedReceipts(block)
    const transactionHashes = this.#chain.transactionHashes(block)
    if (receipts === null || transactionHashes === null) return
    const writer = this.#texts.logs({ number: block.number, hash: block.hash, transactionHashes }, removed)
    const log = new LogCursor(receipts)
    while (log.next()) {
      let frame: EventFrame | undefined
      this.#logs.forEachMatch(log, ({ connection, handle }) => {
        frame ??= new EventFrame(writer.write(log))
        connection.notify(frame.for(handle))
      })
    }
  }

  #forget(subscription: Subscription): void {
    subscription.connection.memory?.release(subscription.bytes)
    if (subscription.topic.kind === 'logs') this.#logs.remove(subscription)
    else this.#setOf(subscription.topic).delete(subscription)
  }

  #setOf(topic: Exclude<SubscriptionTopic, { kind: 'logs' }>): Set<Subscription> {
    switch (topic.kind) {
      case 'newHeads':
        return this.#heads
      case 'newPendingTransactions':
        return topic.full ? this.#pendingObjects : this.#pendingHashes
      case 'syncing':
        return this.#syncing
      case 'newWork':
        return this.#work
    }
  }
}

function isWithin(budget: SubscriptionBudget | undefined): boolean {
  if (budget === undefined) return true
  const most = budget.limits.subscriptions
  return most === 0 || budget.subscriptions < most
}

function send(subscriptions: ReadonlySet<Subscription>, frame: EventFrame): void {
  for (const { connection, handle } of subscriptions) connection.notify(frame.for(handle))
}
