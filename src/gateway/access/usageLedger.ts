import { addUsage, costOf, type DayUsage } from '../../storage/access/usageRecord.ts'
import type { AccessBook } from './accessBook.ts'
import { UsageCounts } from './usageCounts.ts'

/** Keys whose counts go to the store in one step, so that none holds up requests for long. */
const KEYS_AT_ONCE = 200

/** Gathers the usage of all keys and brings it to the store. What the store does not take now is tried again. */
export class UsageLedger {
  readonly #book: AccessBook
  readonly #names: readonly string[]
  readonly #counts = new Map<string, UsageCounts>()
  readonly #changed = new Set<UsageCounts>()
  /** The use that is not on disk yet, by key and day. */
  readonly #unwritten = new Map<string, DayUsage>()
  /** The use that is on its way there. */
  #sent: readonly DayUsage[] = []
  /** Requests and their cost by key, since the start. */
  readonly #totals = new Map<string, { requests: number; cost: number }>()
  #writing: Promise<void> | null = null

  /** @param names of the methods by index */
  constructor(book: AccessBook, names: readonly string[]) {
    this.#book = book
    this.#names = names
  }

  /** The counts of a key. */
  of(id: string): UsageCounts {
    const known = this.#counts.get(id)
    if (known !== undefined) return known
    const counts = new UsageCounts(id, this.#names.length, this.#changed)
    this.#counts.set(id, counts)
    return counts
  }

  /** Ends the counts of the running day: what comes later belongs to another. */
  close(day: number): void {
    for (const counts of this.#changed) {
      const usage = counts.take(day, this.#names)
      this.#count(usage)
      this.#add(usage)
    }
    this.#changed.clear()
  }

  /**
   * Writes the counts so far to disk, those of this day unless it was closed before.
   * @throws what the store throws; the counts are kept then
   */
  async flush(day: number): Promise<void> {
    this.close(day)
    // A write that is under way may lack what was counted since it began.
    if (this.#writing !== null) await this.#writing.catch(() => undefined)
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null
    })
    await this.#writing
  }

  /** Cost units of a key on a day that are not on disk yet. */
  unwrittenCost(id: string, day: number): number {
    const sent = this.#sent.filter((usage) => usage.id === id && usage.day === day)
    return [...sent, this.#unwritten.get(rowOf(id, day))].reduce(
      (sum, usage) => sum + costOf(usage?.methods),
      0,
    )
  }

  /** Requests and their cost since the start, of the keys with the most; the others are one, `other`. */
  totals(most: number): { readonly id: string; readonly requests: number; readonly cost: number }[] {
    const all = [...this.#totals]
      .map(([id, total]) => ({ id, ...total }))
      .sort((a, b) => b.requests - a.requests)
    const rest = all.slice(most)
    if (rest.length === 0) return all
    const sum = (member: 'requests' | 'cost') => rest.reduce((total, usage) => total + usage[member], 0)
    return [...all.slice(0, most), { id: 'other', requests: sum('requests'), cost: sum('cost') }]
  }

  async #write(): Promise<void> {
    while (this.#unwritten.size > 0) {
      const taken = [...this.#unwritten].slice(0, KEYS_AT_ONCE)
      for (const [row] of taken) this.#unwritten.delete(row)
      this.#sent = taken.map(([, usage]) => usage)
      try {
        await this.#book.addUsage(this.#sent)
      } catch (error) {
        for (const usage of this.#sent) this.#add(usage)
        throw error
      } finally {
        this.#sent = []
      }
    }
  }

  #count({ id, methods }: DayUsage): void {
    const total = this.#totals.get(id) ?? { requests: 0, cost: 0 }
    for (const { count, cost } of methods.values()) {
      total.requests += count
      total.cost += cost
    }
    this.#totals.set(id, total)
  }

  #add(added: DayUsage): void {
    const row = rowOf(added.id, added.day)
    const known = this.#unwritten.get(row)
    if (known === undefined) {
      this.#unwritten.set(row, added)
      return
    }
    const methods = new Map(known.methods)
    for (const [method, usage] of added.methods) methods.set(method, addUsage(methods.get(method), usage))
    this.#unwritten.set(row, { ...known, methods })
  }
}

function rowOf(id: string, day: number): string {
  return `${day} ${id}`
}
