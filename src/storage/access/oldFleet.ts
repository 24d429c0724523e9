import { asBuffer } from '../../util/bytes.ts'
import { lmdbTransaction } from '../lmdbTransaction.ts'
import type { AccessTable, AccessTables } from './accessTables.ts'
import { AccessError } from './errors.ts'
import { isLife, LifeUsage } from './lifeUsage.ts'
import { addUsage, type DayUsage, decodeMethods, type MethodUsage, subtractUsage } from './usageRecord.ts'

const MARK_KEY = Buffer.from('fleet')
/** Tables of fleets before version 2 of their messages: of no use once their rows are brought over. */
const OLD_TABLES = ['own', 'unsent', 'outbox', 'applied', 'incoming']
const SEQUENCE_BYTES = 6

/** The mark of such a store about its fleet. */
export interface OldMark {
  readonly fleet: string
  /** Id of the member. */
  readonly member: string
  /** Under which this store numbered what it counted. */
  readonly epoch: string
}

/** Usage in such a store: the sum of a stream, and what this member counted that is not in it. */
export class OldUsage {
  readonly mark: OldMark
  readonly #tables: AccessTables
  /** Last sequence of each member and epoch that is in the sum. */
  readonly #applied = new Map<string, number>()
  readonly #sum: Map<string, DayUsage>
  readonly #own: Map<string, DayUsage>

  /** Null for a store of no such fleet, or one that was converted. @throws AccessError `ACCESS_DAMAGED` */
  static read(tables: AccessTables): OldUsage | null {
    const bytes = tables.metadata.get(MARK_KEY)
    if (bytes === undefined) return null
    const mark = parse(asBuffer(bytes))
    if (isLife(mark['member']) && isLife(mark['epoch']))
      return new OldUsage(tables, mark as unknown as OldMark)
    throw new AccessError('ACCESS_DAMAGED', 'what the access store knows of its fleet is unreadable')
  }

  private constructor(tables: AccessTables, mark: OldMark) {
    this.mark = mark
    this.#tables = tables
    this.#sum = readRows(tables)
    this.#own = readRows({ ...tables, usage: tableOf(tables, 'own') })
    for (const { key, value } of tableOf(tables, 'applied').getRange({})) {
      this.#applied.set(asBuffer(key).toString('latin1'), asBuffer(value).readUIntBE(0, SEQUENCE_BYTES))
    }
  }

  /** Takes the next message of the stream, what a member counted once. @returns false for one that it had already */
  take(message: Buffer): boolean {
    const { format, member, epoch, sequence, rows } = parse(message)
    if (format !== 1 || !isLife(member) || !isLife(epoch) || !Array.isArray(rows)) return false
    const writer = member + epoch
    if (!Number.isSafeInteger(sequence) || Number(sequence) <= (this.#applied.get(writer) ?? 0)) return false
    this.#applied.set(writer, Number(sequence))
    const isOwn = member === this.mark.member && epoch === this.mark.epoch
    for (const row of rows as readonly unknown[]) {
      const [id, day, fields] = Array.isArray(row) ? (row as readonly unknown[]) : []
      const methods = decodeMethods(fields)
      if (typeof id !== 'string' || !Number.isSafeInteger(day) || methods === null) continue
      const usage = { id, day: Number(day), methods }
      change(this.#sum, usage, addUsage)
      if (isOwn) change(this.#own, usage, (counted, added) => counted && subtractUsage(counted, added))
    }
    return true
  }

  /** All that is known of the stream. */
  get sum(): readonly DayUsage[] {
    return [...this.#sum.values()]
  }

  /** The use that this member counted and the stream does not have. */
  get own(): readonly DayUsage[] {
    return [...this.#own.values()].filter(({ methods }) => methods.size > 0)
  }

  /**
   * Makes the store one that has counted nothing itself, with rows of these lives (fleet.md §7), as if processes before
   * had counted under them: the member reports to others what they do not know. Where that is stopped halfway, the same is
   * done again.
   */
  async convert(lives: ReadonlyMap<string, readonly DayUsage[]>): Promise<void> {
    const { root, metadata, usage } = this.#tables
    const target = new LifeUsage(this.#tables)
    for (const [life, rows] of lives) await target.raise(life, rows)
    target.join('', 0, [...lives.keys()])
    const old = OLD_TABLES.map((name) => tableOf(this.#tables, name))
    await lmdbTransaction(root, () => {
      for (const table of [usage, ...old]) table.clearSync()
      metadata.removeSync(MARK_KEY)
    })
  }
}

function tableOf({ root }: AccessTables, name: string): AccessTable {
  return root.openDB<Buffer, Buffer>({ name, keyEncoding: 'binary', encoding: 'binary' })
}

function readRows(tables: AccessTables): Map<string, DayUsage> {
  return new Map(new LifeUsage(tables).rows('', 0).map((row) => [`${row.day} ${row.id}`, row]))
}

/** Replaces what is known of each method by the outcome for it; where there is none, by nothing. */
function change(
  days: Map<string, DayUsage>,
  { id, day, methods }: DayUsage,
  outcome: (known: MethodUsage | undefined, row: MethodUsage) => MethodUsage | null | undefined,
): void {
  const next = new Map(days.get(`${day} ${id}`)?.methods)
  for (const [method, usage] of methods) {
    const changed = outcome(next.get(method), usage) ?? null
    if (changed === null) next.delete(method)
    else next.set(method, changed)
  }
  days.set(`${day} ${id}`, { id, day, methods: next })
}

function parse(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    return { ...(JSON.parse(bytes.toString('utf8')) as object | null) }
  } catch {
    return {}
  }
}
