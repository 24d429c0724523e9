import type { EncodedTransaction } from '../txpool/encodedTransaction.ts'
import type { BlockEvent } from './chainWalk.ts'
import type { HeadNotice } from './events.ts'
import {
  concerns,
  enactedHashes,
  type FilterChanges,
  type FilterContent,
  type FilterLimits,
  type LogFilterRequest,
  type NodeFilters,
} from './filters.ts'
import { createHandle } from './handle.ts'
import { Journal } from './journal.ts'
import { filterBytes, type MemoryUse } from './memoryUse.ts'
import { BLOCKS_PER_POLL, MAX_BLOCKS, MAX_PENDING, SWEEP_PERIOD } from './pollBounds.ts'

interface Filter {
  readonly kind: 'logs' | 'blocks' | 'pending'
  readonly logs: LogFilterRequest | null
  /** Position in its journal at which it was installed. */
  readonly start: number
  cursor: number
  /** Up to this height no poll reported blocks that are on the chain at {@link cursor}. */
  unreported: number
  /** Position from which on the logs of all blocks had been asked for; null while they were not. */
  shown: number | null
  deadline: number
  /** The account and the bytes of its memory; null where nobody counts. */
  readonly memory: MemoryUse | null
  readonly bytes: number
}

/**
 * An event with whether users of a development chain brought it about, who took blocks back and put none in their
 * place.
 */
interface JournalEvent extends BlockEvent {
  readonly isRewind: boolean
}

/**
 * The filters of the node. A filter is only a position in the journal of what happened, so thousands of
 * them cost nothing while nobody polls, and their logs are read when they are asked for.
 */
export class FilterRegistry implements NodeFilters {
  readonly #limits: FilterLimits
  readonly #now: () => number
  readonly #createHandle: () => string
  readonly #filters = new Map<string, Filter>()
  readonly #blocks = new Journal<JournalEvent>(MAX_BLOCKS)
  readonly #pending = new Journal<Buffer>(MAX_PENDING)
  #nextSweep = 0

  /**
   * @param now milliseconds of any clock that does not go back
   * @param create a handle that nobody can guess
   */
  constructor(
    limits: FilterLimits,
    now: () => number = () => performance.now(),
    create: () => string = createHandle,
  ) {
    this.#limits = limits
    this.#now = now
    this.#createHandle = create
  }

  /** Installed filters, those over their time perhaps included. */
  get size(): number {
    return this.#filters.size
  }

  /**
   * Handle of a new log filter; null when there are too many.
   * @param memory of the client, from which the filter draws
   * @throws what {@link MemoryUse.draw} throws
   */
  installLogs(request: LogFilterRequest, memory: MemoryUse | null = null): string | null {
    return this.#install('logs', request, this.#blocks.end, memory)
  }

  /** Handle of a new filter for blocks; null when there are too many. @throws as {@link installLogs} */
  installBlocks(memory: MemoryUse | null = null): string | null {
    return this.#install('blocks', null, this.#blocks.end, memory)
  }

  /** Handle of a new filter for pending transactions; null when there are too many. @throws as {@link installLogs} */
  installPending(memory: MemoryUse | null = null): string | null {
    return this.#install('pending', null, this.#pending.end, memory)
  }

  /** True when there was such a filter. */
  uninstall(handle: string): boolean {
    const filter = this.#find(handle)
    if (filter !== null) this.#remove(handle, filter)
    return filter !== null
  }

  /** The events since the filter was polled or installed; null when there is no such filter. */
  poll(handle: string): FilterChanges | null {
    const filter = this.#find(handle)
    if (filter === null) return null
    const { cursor: before, unreported } = filter
    const undoTo = (next: number) => () => {
      // Unless somebody has polled behind it meanwhile.
      if (filter.cursor === next) Object.assign(filter, { cursor: before, unreported })
    }
    if (filter.kind === 'pending') {
      const { entries, next } = this.#pending.read(before)
      filter.cursor = next
      return { kind: 'hashes', hashes: entries, undo: undoTo(next) }
    }
    const { entries, next } = this.#blocks.read(before, filter.kind === 'logs' ? BLOCKS_PER_POLL : undefined)
    filter.cursor = next
    const undo = undoTo(next)
    if (filter.logs === null) return { kind: 'hashes', hashes: enactedHashes(entries), undo }
    const { logs } = filter
    const blocks = reportable(filter, entries, before).filter((block) => concerns(logs, block))
    return { kind: 'logs', criteria: logs.criteria, blocks, undo }
  }

  /** All that the filter stands for; null when there is no such filter. */
  content(handle: string): FilterContent | null {
    const filter = this.#find(handle)
    if (filter === null) return null
    if (filter.logs !== null) {
      filter.shown ??= this.#blocks.end
      return { kind: 'logs', query: filter.logs.query }
    }
    const hashes =
      filter.kind === 'pending'
        ? this.#pending.read(filter.start).entries
        : enactedHashes(this.#blocks.read(filter.start).entries)
    return { kind: 'hashes', hashes }
  }

  /** The canonical chain changed. */
  headChanged({ retracted, enacted }: HeadNotice): void {
    this.#sweep()
    if (this.#filters.size === 0) return
    const isRewind = enacted.length === 0
    for (const { number, hash } of retracted) this.#blocks.push({ number, hash, removed: true, isRewind })
    for (const { number, hash } of enacted) this.#blocks.push({ number, hash, removed: false, isRewind })
  }

  /** Transactions entered the pending set. */
  pendingAdded(transactions: readonly EncodedTransaction[]): void {
    this.#sweep()
    if (this.#filters.size === 0) return
    for (const { hash } of transactions) this.#pending.push(hash)
  }

  #install(
    kind: Filter['kind'],
    logs: LogFilterRequest | null,
    start: number,
    memory: MemoryUse | null,
  ): string | null {
    this.#sweep()
    if (this.#filters.size >= this.#limits.most) return null
    const bytes = filterBytes(logs?.criteria ?? null)
    memory?.draw(bytes)
    const handle = this.#createHandle()
    this.#filters.set(handle, {
      kind,
      logs,
      start,
      cursor: start,
      unreported: Number.POSITIVE_INFINITY,
      shown: null,
      deadline: this.#now() + this.#limits.timeout,
      memory,
      bytes,
    })
    return handle
  }

  #remove(handle: string, { memory, bytes }: Filter): void {
    if (this.#filters.delete(handle)) memory?.release(bytes)
  }

  /** The filter with its time renewed. */
  #find(handle: string): Filter | null {
    const filter = this.#filters.get(handle)
    if (filter === undefined) return null
    const now = this.#now()
    const hasGap = filter.kind !== 'pending' && filter.cursor < this.#blocks.start
    if (filter.deadline <= now || hasGap) {
      this.#remove(handle, filter)
      return null
    }
    filter.deadline = now + this.#limits.timeout
    return filter
  }

  #sweep(): void {
    const now = this.#now()
    if (now < this.#nextSweep) return
    this.#nextSweep = now + SWEEP_PERIOD
    for (const [handle, filter] of this.#filters) if (filter.deadline <= now) this.#remove(handle, filter)
  }
}

/**
 * The events that a poll reports. What a rewind takes back of blocks that are older than the filter was never reported as
 * added: it is reported as removed only to those who had asked for all logs before.
 * @param at position of the first event
 */
function reportable(filter: Filter, events: readonly JournalEvent[], at: number): readonly BlockEvent[] {
  return events.filter(({ number, removed, isRewind }, index) => {
    if (removed && number > filter.unreported) return true
    filter.unreported = Math.min(filter.unreported, number - 1)
    const isShown = filter.shown !== null && filter.shown <= at + index
    return !removed || !isRewind || isShown
  })
}
