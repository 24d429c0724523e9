import { BLOOM_LENGTH } from '../chain/codec/logsBloom.ts'
import type { LogCriteria } from '../chain/logs/logCriteria.ts'
import type { BlockReference } from '../chain/tables/blockKey.ts'
import type { MiningWork } from '../mining/interface.ts'
import { LogSubscriptions } from '../native/logSubscriptions.ts'
import type { EncodedTransaction } from '../txpool/encodedTransaction.ts'
import { type CatchingUp, CatchUps } from './catchUps.ts'
import type { EventConnection, SubscriptionBudget } from './eventConnection.ts'
import type { EventChain, EventSources, EventTexts, HeadNotice, SyncNotice } from './events.ts'
import { EventFrame } from './frame.ts'
import { createHandle } from './handle.ts'
import { type MemoryUse, subscriptionBytes } from './memoryUse.ts'
import { storedLogs } from './storedLogs.ts'

const EMPTY_BLOOM = Buffer.alloc(BLOOM_LENGTH)

/** The topics that can be subscribed to. */
export type SubscriptionTopic =
  | { readonly kind: 'newHeads' }
  | { readonly kind: 'logs'; readonly criteria: LogCriteria }
  | { readonly kind: 'newPendingTransactions'; readonly full: boolean }
  | { readonly kind: 'syncing' }
  /** Work for merged mining; an extension. */
  | { readonly kind: 'newWork' }

/** Point from which a subscription first reports what happened. */
export interface ResumePoint {
  readonly block: BlockReference
  /** The head of the chain as the block was looked for. */
  readonly head: BlockReference
}

/** The topic of a subscription; the criteria of logs are kept by the native core. */
type SubscribedTopic =
  | Exclude<SubscriptionTopic, { kind: 'logs' }>
  | { readonly kind: 'logs'; readonly id: number }

interface Subscription extends CatchingUp {
  readonly topic: SubscriptionTopic
  /** As subscribers of events have it; null while it catches up. */
  live: SubscribedTopic | null
  /** Memory that it takes. */
  readonly bytes: number
}

/** The parts of a hub. */
export interface SubscriptionHubOptions extends EventSources {
  readonly events: EventTexts
  /** Subscriptions of one connection. */
  readonly mostPerConnection: number
}

/** Sends events to subscribers. Each event is written once, however many take it. */
export class SubscriptionHub {
  readonly #chain: EventChain
  readonly #events: EventTexts
  readonly #mostPerConnection: number
  readonly #connections = new Map<EventConnection, Map<string, Subscription>>()
  readonly #heads = new Set<Subscription>()
  readonly #logs: LogSubscriptions
  /** Subscriptions of logs. */
  readonly #logTakers = new Map<number, Subscription>()
  #lastId = 0
  readonly #pendingHashes = new Set<Subscription>()
  readonly #pendingObjects = new Set<Subscription>()
  readonly #syncing = new Set<Subscription>()
  readonly #work = new Set<Subscription>()
  readonly #catchUps: CatchUps
  /** Subscriptions that began with an earlier block, by handle. */
  readonly #resumed = new Map<string, Subscription>()
  /** The head that subscribers were notified of last; before the first notice that of the store. */
  #announced: BlockReference | null = null

  constructor(options: SubscriptionHubOptions) {
    this.#chain = options.chain
    this.#catchUps = new CatchUps({
      ...options,
      announced: () => this.#announced?.hash ?? null,
      onLive: ({ handle }) => {
        const subscription = this.#resumed.get(handle)
        if (subscription !== undefined) this.#goLive(subscription)
      },
    })
    this.#events = options.events
    this.#logs = new LogSubscriptions(options.encodedObjects)
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
   * @param from of a subscription to heads or logs that first receives what happened since, with the head of the store
   * @throws what {@link MemoryUse.draw} throws
   */
  subscribe(
    connection: EventConnection,
    topic: SubscriptionTopic,
    from: ResumePoint | null = null,
  ): string | null {
    const own = this.#connections.get(connection) ?? new Map<string, Subscription>()
    if (own.size >= this.#mostPerConnection || !isWithin(connection.budget)) return null
    const bytes = subscriptionBytes(topic.kind === 'logs' ? topic.criteria : null)
    connection.memory?.draw(bytes)
    if (connection.budget !== undefined) connection.budget.subscriptions += 1
    const subscription: Subscription = {
      handle: createHandle(),
      connection,
      topic,
      criteria: topic.kind === 'logs' ? topic.criteria : null,
      live: null,
      bytes,
    }
    own.set(subscription.handle, subscription)
    this.#connections.set(connection, own)
    if (from === null) this.#goLive(subscription)
    else {
      this.#announced ??= from.head
      this.#resumed.set(subscription.handle, subscription)
      this.#catchUps.add(subscription, from.block)
    }
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
  headChanged(notice: HeadNotice): void {
    const { retracted, enacted } = notice
    this.#announce(notice)
    if (this.#logTakers.size > 0) {
      for (const block of retracted) this.#sendLogs(block, true)
      for (const block of enacted) this.#sendLogs(block, false)
    }
    if (this.#heads.size === 0) return
    for (const { hash } of enacted) {
      const header = this.#chain.headerByHash(hash)
      if (header !== null) send(this.#heads, new EventFrame(this.#events.header(header)))
    }
  }

  /** Transactions entered the pending set, or came back to it. */
  pendingAdded(transactions: readonly EncodedTransaction[]): void {
    for (const transaction of transactions) {
      if (this.#pendingHashes.size > 0) {
        send(this.#pendingHashes, new EventFrame(`"0x${transaction.hash.toString('hex')}"`))
      }
      if (this.#pendingObjects.size > 0) {
        send(this.#pendingObjects, new EventFrame(this.#events.pendingTransaction(transaction)))
      }
    }
  }

  /** Synchronisation began (with its progress) or ended (null). */
  syncingChanged(progress: SyncNotice | null): void {
    if (this.#syncing.size > 0) send(this.#syncing, new EventFrame(this.#events.syncing(progress)))
  }

  /** There is new work for miners. */
  workBuilt(work: MiningWork): void {
    if (this.#work.size > 0) send(this.#work, new EventFrame(this.#events.work(work)))
  }

  /** True when anybody takes work as it comes. */
  get wantsWork(): boolean {
    return this.#work.size > 0
  }

  #goLive(subscription: Subscription): void {
    const { topic } = subscription
    if (topic.kind !== 'logs') {
      subscription.live = topic
      this.#setOf(topic).add(subscription)
      return
    }
    this.#lastId += 1
    this.#logs.add(this.#lastId, topic.criteria)
    this.#logTakers.set(this.#lastId, subscription)
    subscription.live = { kind: 'logs', id: this.#lastId }
  }

  /** Moves the announced head, and has those wait who stand on another one than the notice begins with. */
  #announce({ retracted, enacted }: HeadNotice): void {
    const before = this.#announced
    const [first] = enacted
    const start = retracted[0] ?? (first === undefined ? null : this.#parentOf(first))
    this.#announced = enacted.at(-1) ?? this.#parentOf(retracted.at(-1)) ?? before
    if (before !== null && start !== null && !start.hash.equals(before.hash)) {
      // The store was ahead of the notices when the first subscription looked: it knows what they are about to tell.
      for (const subscription of this.#resumed.values()) {
        if (subscription.live === null) continue
        this.#leaveLive(subscription, subscription.live)
        this.#catchUps.add(subscription, before)
      }
    }
    this.#catchUps.headChanged()
  }

  #parentOf(block: BlockReference | undefined): BlockReference | null {
    const header = block === undefined ? null : this.#chain.storedHeader(block.hash)
    return header === null ? null : { number: header.number - 1, hash: header.parentHash }
  }

  #sendLogs(block: BlockReference, removed: boolean): void {
    // Most blocks have no logs: neither their text nor their receipts are looked for.
    if (this.#chain.storedHeader(block.hash)?.fields.logsBloom?.equals(EMPTY_BLOOM) === true) return
    for (const { text, ids } of this.#logs.find(block, removed, () => storedLogs(this.#chain, block))) {
      const frame = new EventFrame(text)
      for (const id of ids) {
        const taker = this.#logTakers.get(id)
        taker?.connection.notify(frame.for(taker.handle))
      }
    }
  }

  #forget(subscription: Subscription): void {
    const { connection, handle, live, bytes } = subscription
    connection.memory?.release(bytes)
    this.#resumed.delete(handle)
    if (live === null) this.#catchUps.remove(subscription)
    else this.#leaveLive(subscription, live)
  }

  #leaveLive(subscription: Subscription, live: SubscribedTopic): void {
    subscription.live = null
    if (live.kind !== 'logs') {
      this.#setOf(live).delete(subscription)
      return
    }
    this.#logs.remove(live.id)
    this.#logTakers.delete(live.id)
  }

  #setOf(topic: Exclude<SubscribedTopic, { kind: 'logs' }>): Set<Subscription> {
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
