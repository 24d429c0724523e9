import { randomBytes } from 'node:crypto'
import { asBuffer } from '../../util/bytes.ts'
import { lmdbTransaction } from '../lmdbTransaction.ts'
import type { AccessTable, AccessTables } from './accessTables.ts'
import { AccessError } from './errors.ts'
import {
  addUsage,
  costOf,
  type DayUsage,
  decodeUsage,
  encodeUsage,
  exceedsUsage,
  type MethodUsage,
  mergeDays,
  mostOf,
  parseUsageKey,
  subtractUsage,
  usageKey,
} from './usageRecord.ts'

const LIFE_BYTES = 8
const LIFE = /^[0-9a-f]{16}$/
const LIFE_KEY = Buffer.from('life')
/** Most rows that one transaction removes, so that none delays the others for long. */
const PRUNED_AT_ONCE = 1000
/** Method that stands for use whose method is not known any more. */
const UNKNOWN = 'unknown'

/** Cost units of a key on a day. */
export type DayCost = readonly [id: string, day: number, cost: number]

/** Lives of a store, 16 hex digits each. */
export interface Lives {
  /** That of the rows which were there before this process. */
  readonly stored: string
  /** Under which this process counts. */
  readonly own: string
  /** Under which processes before this one counted: others may not know all of their rows. */
  readonly past: readonly string[]
}

/**
 * Usage as grow-only counters of lives (fleet.md §7). A node alone has one life, whose rows are in the table `usage` and
 * which needs no name. The process of a member counts under a life of its own, until it knows that nothing is lost and
 * nobody else counts under that of its store ({@link resume}). Rows of all other lives are in `lives`, and only grow.
 */
export class LifeUsage {
  readonly #tables: AccessTables
  #stored: string
  /** Empty for a node alone. */
  #own = ''
  #past: readonly string[] = []
  /** The use that was counted under a life that is not that of the store. */
  readonly #counted = new Map<string, Pick<DayUsage, 'id' | 'day'>>()
  #writing: Promise<unknown> = Promise.resolve()

  constructor(tables: AccessTables) {
    this.#tables = tables
    this.#stored = readLife(tables.metadata)?.life ?? ''
  }

  /**
   * The store is one of a member from now on. Rows of a copied directory stay with the lives of the store that it is a
   * copy of.
   * @param firstKept day from which on others keep usage: lives without later rows are forgotten
   * @param member empty for one that is not known yet: the next one takes the store over
   * @param inherited lives under which processes counted before the store had one
   * @throws AccessError `ACCESS_DAMAGED`
   */
  join(member: string, firstKept = 0, inherited: readonly string[] = []): Lives {
    const own = newLife()
    this.#tables.root.transactionSync(() => {
      const { metadata } = this.#tables
      const known = readLife(metadata)
      const isKnown = known !== null && (known.member === member || known.member === '')
      const life = isKnown ? known.life : newLife()
      if (known !== null && !isKnown) this.#moveStored(known.life)
      this.#past = isKnown ? known.past.filter((one) => this.rows(one, firstKept).length > 0) : inherited
      this.#stored = life
      this.#remember(member, own)
    })
    this.#own = own
    return this.lives
  }

  get lives(): Lives {
    return { stored: this.#stored, own: this.#own, past: this.#past }
  }

  /** Adds to the usage, all or nothing; resolves when it is on disk. */
  add(rows: readonly DayUsage[]): Promise<void> {
    return this.#transaction(() => {
      const life = this.#own
      for (const row of rows) {
        this.#put(life, row, sumOf(this.#rowOf(life, row), row.methods))
        if (life !== this.#stored) this.#counted.set(`${row.day} ${row.id}`, { id: row.id, day: row.day })
      }
    })
  }

  /**
   * Goes on with the life of the store: nobody else counts under it, and this is all that is known of it elsewhere. What
   * this process counted becomes a part of it.
   * @param reported costs as others received them, where they may be more than rows
   */
  async resume(rows: readonly DayUsage[], reported: readonly DayCost[]): Promise<void> {
    const before = this.#own
    try {
      await this.#transaction(() => {
        this.#raise(this.#stored, rows)
        for (const [id, day, cost] of reported) {
          const known = this.#rowOf(this.#stored, { id, day })
          const lacking = cost - costOf(known)
          if (lacking > 0) this.#put(this.#stored, { id, day }, sumOf(known, costAlone(lacking)))
        }
        for (const row of this.#counted.values()) {
          const sum = sumOf(this.#rowOf(this.#stored, row), this.#rowOf(before, row))
          this.#put(this.#stored, row, sum)
          this.#tables.lives.removeSync(lifeKey(before, row))
        }
        this.#own = this.#stored
      })
      this.#counted.clear()
    } catch (error) {
      this.#own = before
      throw error
    }
  }

  /**
   * Another process counts under the own life: from now on this one has another. What it counted beyond the rows that
   * others know of it goes there.
   */
  async leave(known: readonly DayUsage[]): Promise<void> {
    const before = this.#own
    const next = newLife()
    try {
      await this.#transaction(() => {
        for (const row of known) {
          const own = this.#rowOf(before, row)
          const beyond = new Map<string, MethodUsage>()
          for (const [method, usage] of own) {
            const rest = subtractUsage(usage, row.methods.get(method) ?? NOTHING)
            if (rest !== null && Object.values(rest).every((figure) => figure >= 0)) beyond.set(method, rest)
          }
          if (beyond.size === 0) continue
          this.#put(before, row, row.methods)
          this.#put(next, row, beyond)
          this.#counted.set(`${row.day} ${row.id}`, { id: row.id, day: row.day })
        }
        this.#remember(readLife(this.#tables.metadata)?.member ?? '', next)
        this.#own = next
      })
    } catch (error) {
      this.#own = before
      throw error
    }
  }

  /** Keeps of each counter of a life the larger value. */
  async raise(life: string, rows: readonly DayUsage[]): Promise<void> {
    this.#tables.root.resetReadTxn()
    const grow = rows.filter((row) => exceedsUsage(this.#rowOf(life, row), row.methods))
    if (grow.length > 0) await this.#transaction(() => this.#raise(life, grow))
  }

  /** Rows of a life from a day on. */
  rows(life: string, first: number): DayUsage[] {
    this.#tables.root.resetReadTxn()
    const table = this.#tableOf(life)
    return idsOf(table).flatMap((id) =>
      [...table.getRange({ start: usageKey(id, first), end: usageKey(id, 0xffff_ffff) })]
        .filter(({ key }) => table === this.#tables.usage || lifeOf(asBuffer(key)) === life)
        .map((entry) => rowOf(entry, table !== this.#tables.usage)),
    )
  }

  /** Rows of all other lives from a day on, with the life of each. */
  others(first: number): (readonly [life: string, row: DayUsage])[] {
    this.#tables.root.resetReadTxn()
    return idsOf(this.#tables.lives).flatMap((id) =>
      [...this.#tables.lives.getRange({ start: usageKey(id, first), end: usageKey(id, 0xffff_ffff) })].map(
        (entry) => [lifeOf(asBuffer(entry.key)), rowOf(entry, true)] as const,
      ),
    )
  }

  /** Usage of a life of a key on a day. */
  row(life: string, row: Pick<DayUsage, 'id' | 'day'>): ReadonlyMap<string, MethodUsage> {
    this.#tables.root.resetReadTxn()
    return this.#rowOf(life, row)
  }

  /** The use of a key on a day that this process counted under its present life, cost units. */
  ownCost(id: string, day: number): number {
    return costOf(this.row(this.#own, { id, day }))
  }

  /** Usage of a key from one day to another, both included, of all lives, oldest first. */
  usage(id: string, first: number, last: number): DayUsage[] {
    this.#tables.root.resetReadTxn()
    const range = { start: usageKey(id, first), end: usageKey(id, last + 1) }
    const { usage, lives } = this.#tables
    return mergeDays(
      [...usage.getRange(range)].map((entry) => rowOf(entry, false)),
      [...lives.getRange(range)].map((entry) => rowOf(entry, true)),
    )
  }

  /** Ids with usage. */
  ids(): string[] {
    this.#tables.root.resetReadTxn()
    return [...new Set([...idsOf(this.#tables.usage), ...idsOf(this.#tables.lives)])]
  }

  /** Removes the usage of days before this one; returns the number of rows removed. */
  async prune(firstDay: number): Promise<number> {
    let removed = 0
    for (const table of [this.#tables.usage, this.#tables.lives]) {
      this.#tables.root.resetReadTxn()
      for (const id of idsOf(table)) {
        const range = { start: usageKey(id, 0), end: usageKey(id, firstDay), limit: PRUNED_AT_ONCE }
        for (;;) {
          const old = [...table.getKeys(range)].map((key) => Buffer.from(asBuffer(key)))
          if (old.length === 0) break
          await this.#transaction(() => {
            for (const key of old) table.removeSync(key)
          })
          this.#tables.root.resetReadTxn()
          removed += old.length
        }
      }
    }
    return removed
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await this.#writing
  }

  /** A process that begins later finds the lives of those before. */
  #remember(member: string, own: string): void {
    if (this.#own !== '' && this.#own !== this.#stored) this.#past = [...this.#past, this.#own]
    const record = { life: this.#stored, member, past: [...this.#past, own] }
    this.#tables.metadata.putSync(LIFE_KEY, Buffer.from(JSON.stringify(record)))
  }

  #moveStored(life: string): void {
    const { usage } = this.#tables
    for (const entry of [...usage.getRange({})]) {
      const row = rowOf(entry, false)
      this.#tables.lives.putSync(lifeKey(life, row), Buffer.from(asBuffer(entry.value)))
      usage.removeSync(usageKey(row.id, row.day))
    }
  }

  #raise(life: string, rows: readonly DayUsage[]): void {
    for (const row of rows) this.#put(life, row, mostOf(this.#rowOf(life, row), row.methods))
  }

  #tableOf(life: string): AccessTable {
    return life === this.#stored || life === '' ? this.#tables.usage : this.#tables.lives
  }

  #keyOf(life: string, row: Pick<DayUsage, 'id' | 'day'>): Buffer {
    return this.#tableOf(life) === this.#tables.usage ? usageKey(row.id, row.day) : lifeKey(life, row)
  }

  #rowOf(life: string, row: Pick<DayUsage, 'id' | 'day'>): ReadonlyMap<string, MethodUsage> {
    const bytes = this.#tableOf(life).get(this.#keyOf(life, row))
    return bytes === undefined ? new Map() : decodeUsage(asBuffer(bytes), row)
  }

  #put(life: string, row: Pick<DayUsage, 'id' | 'day'>, methods: ReadonlyMap<string, MethodUsage>): void {
    this.#tableOf(life).putSync(this.#keyOf(life, row), encodeUsage(methods))
  }

  /** One transaction, which a failure of the action undoes; resolves when it is on disk. They follow one another. */
  #transaction(action: () => void): Promise<void> {
    const done = lmdbTransaction(this.#tables.root, action)
    this.#writing = Promise.allSettled([this.#writing, done])
    return done
  }
}

const NOTHING: MethodUsage = { count: 0, cost: 0, bytes: 0, errors: 0, refused: 0 }

/** A random id for a life. */
export function newLife(): string {
  return randomBytes(LIFE_BYTES).toString('hex')
}

/** True when a text has the form of one. */
export function isLife(value: unknown): value is string {
  return typeof value === 'string' && LIFE.test(value)
}

interface StoredLife {
  readonly life: string
  readonly member: string
  readonly past: readonly string[]
}

function readLife(metadata: AccessTable): StoredLife | null {
  const bytes = metadata.get(LIFE_KEY)
  if (bytes === undefined) return null
  try {
    const { life, member, past } = JSON.parse(asBuffer(bytes).toString('utf8')) as Record<string, unknown>
    if (isLife(life) && typeof member === 'string' && Array.isArray(past) && past.every(isLife))
      return { life, member, past }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new AccessError('ACCESS_DAMAGED', 'the life of the access store is unreadable')
}

function lifeKey(life: string, { id, day }: Pick<DayUsage, 'id' | 'day'>): Buffer {
  return Buffer.concat([usageKey(id, day), Buffer.from(life, 'hex')])
}

function lifeOf(key: Buffer): string {
  return key.toString('hex', key.length - LIFE_BYTES)
}

function rowOf({ key, value }: { readonly key: Buffer; readonly value: Buffer }, hasLife: boolean): DayUsage {
  const bytes = asBuffer(key)
  const row = parseUsageKey(hasLife ? bytes.subarray(0, bytes.length - LIFE_BYTES) : bytes)
  return { ...row, methods: decodeUsage(asBuffer(value), row) }
}

/** Ids of a table whose keys begin with them. */
function idsOf(table: AccessTable): string[] {
  const ids: string[] = []
  let start = Buffer.alloc(1)
  for (;;) {
    const next = [...table.getKeys({ start, limit: 1 })][0]
    if (next === undefined) return ids
    const bytes = asBuffer(next)
    const id = bytes.toString('utf8', 0, bytes.indexOf(0))
    ids.push(id)
    start = Buffer.concat([Buffer.from(id), Buffer.from([1])])
  }
}

function sumOf(
  one: ReadonlyMap<string, MethodUsage>,
  other: ReadonlyMap<string, MethodUsage>,
): ReadonlyMap<string, MethodUsage> {
  const sum = new Map(one)
  for (const [method, usage] of other) sum.set(method, addUsage(sum.get(method), usage))
  return sum
}

function costAlone(cost: number): ReadonlyMap<string, MethodUsage> {
  return new Map([[UNKNOWN, { ...NOTHING, cost }]])
}
