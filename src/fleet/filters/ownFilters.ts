import type { LogCriteria } from '../../chain/logs/logCriteria.ts'
import { type BlockEvent, ChainWalk, type WalkedChain } from '../../filters/chainWalk.ts'
import type { PendingNotice } from '../../filters/events.ts'
import {
  concerns,
  enactedHashes,
  type FilterContent,
  type FilterLimits,
  type LogFilterRequest,
} from '../../filters/filters.ts'
import { Journal } from '../../filters/journal.ts'
import { filterBytes, type MemoryUse } from '../../filters/memoryUse.ts'
import {
  BLOCKS_PER_POLL,
  HASHES_PER_POLL,
  MOST_BLOCKS,
  MOST_PENDING,
  SWEEP_PERIOD,
} from '../../filters/pollBounds.ts'
import type { BlockReference } from '../../storage/blockKey.ts'
import type { FilterPosition, StoredFilter } from '../../storage/filters/filterRecord.ts'
import type { FilterRow } from '../../storage/filters/filterStore.ts'
import { createFilterId, filterIdText, parseFilterId } from './filterId.ts'

/** Where filters and positions are made durable (`storage/filters/filterStore.ts`). */
export interface OwnFilterTable {
  rows(): Iterable<FilterRow>
  put(rows: readonly FilterRow[]): Promise<void>
  move(id: Buffer, position: FilterPosition): Promise<void>
  remove(ids: readonly Buffer[]): Promise<void>
}

/** Transactions that the log of the fleet had before this process began. */
export interface PendingHistory {
  /**
   * Hashes of transactions of the entries behind `after`, up to and with `to`, that entered the pending set; null when
   * the log does not keep so many.
   * @throws RpcError `fleetAway` when the log cannot be read
   */
  between(after: number, to: number): Promise<readonly Buffer[] | null>
}

/** What {@link OwnFilters} are made of. */
export interface OwnFiltersOptions {
  /** Number of this member. @throws FleetError `NoMember` while it has none */
  readonly number: () => number | Promise<number>
  readonly store: OwnFilterTable
  readonly chain: WalkedChain & { head(): BlockReference }
  readonly history: PendingHistory
  readonly limits: FilterLimits
  /** To be called before reads outside of a request. */
  readonly takeSnapshot?: () => void
  /** Told of what fails and nobody waits for. */
  readonly onFailure: (error: unknown) => void
  /** Milliseconds of any clock that does not go back. */
  readonly now?: () => number
}

/** What happened since the last poll of a filter of this member. */
export type OwnChanges =
  | { readonly kind: 'hashes'; readonly hashes: readonly Buffer[] }
  | {
      readonly kind: 'logs'
      readonly criteria: LogCriteria
      readonly blocks: readonly BlockEvent[]
      /** Positions around the poll, with which it can be taken back. */
      readonly before: FilterPosition
      readonly after: FilterPosition
    }

interface PendingEvent {
  readonly hash: Buffer
  /** Of the entry of the log that had the transaction enter the pending set. */
  readonly sequence: number
}

interface OwnFilter {
  readonly id: Buffer
  readonly stored: StoredFilter
  position: FilterPosition
  /** Place in the journal of pending transactions; null until the first poll after a restart. */
  cursor: number | null
  deadline: number
  readonly memory: MemoryUse | null
  readonly bytes: number
  /** Its polls, one after the other. */
  last: Promise<unknown>
}

/** Walks that are kept until the head changes: many filters stand on the same few blocks. */
const MOST_WALKS = 32
/** Bytes of all filters, those that came from other members and earlier runs included. */
const MOST_BYTES = 512 * 1024 * 1024

/**
 * The filters that belong to this member of a fleet (fleet.md §6). A filter is a position on the chain and in the log:
 * a poll walks from its block to the head over the common ancestor, and has the new position on disk before it answers.
 * So it goes on after a restart where it was.
 */
export class OwnFilters {
  readonly #options: OwnFiltersOptions
  readonly #now: () => number
  readonly #filters = new Map<string, OwnFilter>()
  #pending = new Journal<PendingEvent>(MOST_PENDING)
  readonly #walks = new Map<string, readonly BlockEvent[]>()
  /** The last entry of the log whose effects are in the journal. */
  #sequence = 0
  #nextSweep = 0
  /** Memory of all filters. */
  #bytes = 0

  /** @throws StorageError `STORAGE_CORRUPT` */
  constructor(options: OwnFiltersOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    for (const row of options.store.rows()) this.#enter(row, null, null)
  }

  /** Filters, those over their time perhaps included. */
  get size(): number {
    return this.#filters.size
  }

  has(id: string): boolean {
    return this.#filters.has(id)
  }

  /** Whether it is a filter of pending transactions. */
  isPending(id: string): boolean {
    return this.#filters.get(id)?.stored.kind === 'pending'
  }

  /**
   * Id of a new filter, which is on disk; null when there are too many.
   * @throws what {@link MemoryUse.draw} throws; StorageError `STORAGE_UNWRITABLE`
   */
  async install(
    kind: StoredFilter['kind'],
    request: LogFilterRequest | null,
    memory: MemoryUse | null,
  ): Promise<string | null> {
    this.#sweep()
    const bytes = filterBytes(request?.criteria ?? null)
    if (!this.#hasRoom(1, bytes)) return null
    const text = createFilterId(await this.#options.number())
    memory?.draw(bytes)
    const { number, hash } = this.#options.chain.head()
    const start: FilterPosition = { block: { number, hash: Buffer.from(hash) }, sequence: this.#sequence }
    const id = parseFilterId(text) ?? Buffer.alloc(0)
    const row: FilterRow = { id, filter: { kind, start, logs: storedLogs(request) }, position: start }
    // Nobody knows the id yet: what happens until it is on disk counts from the start.
    const filter = this.#enter(row, memory, this.#pending.end)
    try {
      await this.#options.store.put([row])
    } catch (error) {
      this.#forget(filter)
      throw error
    }
    return text
  }

  /** Whether there was such a filter; it is gone from disk, too. @throws StorageError `STORAGE_UNWRITABLE` */
  async uninstall(id: string): Promise<boolean> {
    const filter = this.#find(id)
    if (filter === null) return false
    this.#forget(filter)
    await this.#options.store.remove([filter.id])
    return true
  }

  /**
   * What happened since the filter was polled or installed; null when there is no such filter.
   * @throws StorageError `STORAGE_UNWRITABLE`; RpcError `fleetAway`: the filter stays where it was
   */
  poll(id: string): Promise<OwnChanges | null> {
    return this.#inOrder(id, (filter) =>
      filter.stored.kind === 'pending' ? this.#pollPending(filter) : this.#pollBlocks(filter),
    )
  }

  /** Takes a poll back whose answer could not be given, unless another one came behind it. */
  undo(id: string, after: FilterPosition, before: FilterPosition): void {
    const filter = this.#filters.get(id)
    if (filter === undefined || !isSame(filter.position, after)) return
    filter.position = before
    this.#options.store.move(filter.id, before).catch(this.#options.onFailure)
  }

  /** What the filter stands for as a whole; null when there is no such filter. @throws RpcError `fleetAway` */
  content(id: string): Promise<FilterContent | null> {
    return this.#inOrder(id, async (filter): Promise<FilterContent | null> => {
      const { kind, logs, start } = filter.stored
      if (logs !== null) return { kind: 'logs', query: logs.query }
      if (kind === 'pending') {
        const hashes = await this.#pendingSince(start.sequence)
        return hashes === null ? null : { kind: 'hashes', hashes }
      }
      const events = this.#eventsSince(start.block, MOST_BLOCKS)
      return events === null ? null : { kind: 'hashes', hashes: enactedHashes(events) }
    })
  }

  /** The canonical chain changed. */
  headChanged(): void {
    this.#walks.clear()
    this.#sweep()
  }

  /** Transactions entered the pending set, with the entries of the log that had them enter. */
  pendingAdded(notices: readonly PendingNotice[]): void {
    this.#sweep()
    for (const { hash, sequence = this.#sequence } of notices) {
      this.reached(sequence)
      // The notice is a view of a message with everything else in it.
      this.#pending.push({ hash: Buffer.from(hash), sequence })
    }
  }

  /**
   * This member no longer applies the log entry by entry: it may take the pool of another one over. Polls then read the
   * log from where they were.
   */
  interrupted(): void {
    this.#pending = new Journal(MOST_PENDING)
    for (const filter of this.#filters.values()) filter.cursor = null
  }

  /**
   * The log was applied up to an entry: to be called when this thread was told of everything that the entries up to it
   * did.
   */
  reached(sequence: number): void {
    this.#sequence = Math.max(this.#sequence, sequence)
  }

  /**
   * Lets go of filters, for another member: they are gone from disk before they are handed out, so that a filter never
   * has two owners, however this ends.
   * @param take how many, of the bytes of the criteria of each
   * @throws StorageError `STORAGE_UNWRITABLE`
   */
  async handOut(take: (bytes: Iterable<number>) => number): Promise<readonly FilterRow[]> {
    const all = [...this.#filters.values()]
    const filters = all.slice(0, take(all.map(({ bytes }) => bytes)))
    for (const filter of filters) this.#forget(filter)
    await Promise.all(filters.map(({ last }) => last.catch(() => undefined)))
    await this.#options.store.remove(filters.map(({ id }) => id))
    return filters.map(({ id, stored, position }) => ({ id, filter: stored, position }))
  }

  /** Takes over filters of another member; false when there would be too many. @throws StorageError `STORAGE_UNWRITABLE` */
  async adopt(rows: readonly FilterRow[]): Promise<boolean> {
    this.#sweep()
    const bytes = rows.reduce((sum, { filter }) => sum + filterBytes(filter.logs), 0)
    if (!this.#hasRoom(rows.length, bytes)) return false
    await this.#options.store.put(rows)
    for (const row of rows) this.#enter(row, null, null)
    return true
  }

  #hasRoom(count: number, bytes: number): boolean {
    return this.#filters.size + count <= this.#options.limits.most && this.#bytes + bytes <= MOST_BYTES
  }

  #enter(
    { id, filter: stored, position }: FilterRow,
    memory: MemoryUse | null,
    cursor: number | null,
  ): OwnFilter {
    const filter: OwnFilter = {
      id,
      stored,
      position,
      cursor,
      deadline: this.#now() + this.#options.limits.timeout,
      memory,
      bytes: filterBytes(stored.logs),
      last: Promise.resolve(),
    }
    this.#filters.set(filterIdText(id), filter)
    this.#bytes += filter.bytes
    return filter
  }

  #forget({ id, memory, bytes }: OwnFilter): void {
    if (!this.#filters.delete(filterIdText(id))) return
    this.#bytes -= bytes
    memory?.release(bytes)
  }

  /** The filter with its time renewed. */
  #find(id: string): OwnFilter | null {
    const filter = this.#filters.get(id)
    if (filter === undefined) return null
    const now = this.#now()
    if (filter.deadline <= now) {
      this.#drop([filter])
      return null
    }
    filter.deadline = now + this.#options.limits.timeout
    return filter
  }

  /** Runs one thing of a filter after the other; what needs a position that is gone removes the filter. */
  #inOrder<T>(id: string, action: (filter: OwnFilter) => Promise<T | null>): Promise<T | null> {
    const found = this.#find(id)
    if (found === null) return Promise.resolve(null)
    const done = found.last
      .catch(() => undefined)
      .then(() => (this.#filters.get(id) === found ? action(found) : null))
    found.last = done
    return done
  }

  async #pollBlocks(filter: OwnFilter): Promise<OwnChanges | null> {
    const { logs } = filter.stored
    const before = filter.position
    const events = this.#eventsSince(before.block, BLOCKS_PER_POLL)
    if (events === null) {
      this.#drop([filter])
      return null
    }
    const block = this.#blockBehind(events) ?? before.block
    const after = { block, sequence: before.sequence }
    if (events.length > 0) await this.#moveTo(filter, after)
    if (logs === null) return { kind: 'hashes', hashes: enactedHashes(events) }
    return {
      kind: 'logs',
      criteria: { addresses: logs.addresses, topics: logs.topics },
      blocks: events.filter((event) => concerns(logs, event)),
      before,
      after,
    }
  }

  async #pollPending(filter: OwnFilter): Promise<OwnChanges | null> {
    const { block, sequence: before } = filter.position
    // What comes while the log is read is for the next poll.
    const journal = this.#pending
    const { end } = journal
    let sequence = this.#sequence
    const read = filter.cursor === null ? null : this.#pending.read(filter.cursor, HASHES_PER_POLL)
    if (read !== null && read.next < end) sequence = (read.entries.at(-1)?.sequence ?? 1) - 1
    const isForgotten = filter.cursor !== null && filter.cursor < this.#pending.start
    const hashes = read === null ? await this.#pendingSince(before) : read.entries.map(hashOf)
    if (hashes === null || isForgotten) {
      this.#drop([filter])
      return null
    }
    if (hashes.length > 0) await this.#moveTo(filter, { block, sequence: Math.max(before, sequence) })
    if (journal === this.#pending) filter.cursor = read?.next ?? end
    return { kind: 'hashes', hashes }
  }

  /** Pending transactions behind an entry of the log; null where there are more than a poll may tell of. */
  async #pendingSince(sequence: number): Promise<readonly Buffer[] | null> {
    const { start } = this.#pending
    const { entries } = this.#pending.read(0)
    const [first] = entries
    // The effects of the first entry may be forgotten in part.
    const to = first === undefined ? this.#sequence : first.sequence - (start > 0 ? 0 : 1)
    const isOlder = sequence < to
    const older = isOlder ? await this.#options.history.between(sequence, to) : []
    if (older === null) return null
    const known = isOlder ? to : sequence
    return [...older, ...entries.filter((entry) => entry.sequence > known).map(hashOf)]
  }

  async #moveTo(filter: OwnFilter, position: FilterPosition): Promise<void> {
    const before = filter.position
    filter.position = position
    try {
      await this.#options.store.move(filter.id, position)
    } catch (error) {
      filter.position = before
      throw error
    }
  }

  /** Events between a block and the head, so many at most; null for a block that is too far away or gone. */
  #eventsSince(block: BlockReference, most: number): readonly BlockEvent[] | null {
    const { chain, takeSnapshot } = this.#options
    takeSnapshot?.()
    if (chain.head().number - block.number > MOST_BLOCKS) return null
    const key = `${most}/${block.hash.toString('hex')}`
    const kept = this.#walks.get(key)
    if (kept !== undefined) return kept
    const walk = new ChainWalk(chain, block)
    const events: BlockEvent[] = []
    try {
      for (let event = walk.next(); event !== null; event = walk.next()) {
        events.push(event)
        if (events.length >= most) break
      }
    } catch (error) {
      if (error instanceof RangeError) return null
      throw error
    }
    if (this.#walks.size >= MOST_WALKS) this.#walks.clear()
    this.#walks.set(key, events)
    return events
  }

  /** The block up to which events have told; null for none. */
  #blockBehind(events: readonly BlockEvent[]): BlockReference | null {
    const last = events.at(-1)
    if (last === undefined) return null
    const { number, hash, removed } = last
    if (!removed) return { number, hash }
    const header = this.#options.chain.storedHeader(hash)
    return header === null ? null : { number: number - 1, hash: header.parentHash }
  }

  #sweep(): void {
    const now = this.#now()
    if (now < this.#nextSweep) return
    this.#nextSweep = now + SWEEP_PERIOD
    this.#drop([...this.#filters.values()].filter(({ deadline }) => deadline <= now))
  }

  #drop(filters: readonly OwnFilter[]): void {
    for (const filter of filters) this.#forget(filter)
    if (filters.length > 0) {
      this.#options.store.remove(filters.map(({ id }) => id)).catch(this.#options.onFailure)
    }
  }
}

function storedLogs(request: LogFilterRequest | null): StoredFilter['logs'] {
  if (request === null) return null
  const { criteria, from, to, blockHash, query } = request
  return { ...criteria, from, to, blockHash, query }
}

function hashOf({ hash }: PendingEvent): Buffer {
  return hash
}

function isSame(a: FilterPosition, b: FilterPosition): boolean {
  return a.sequence === b.sequence && a.block.hash.equals(b.block.hash)
}
