import { join } from 'node:path'
import { asBuffer } from '../../util/bytes.ts'
import { makePrivateFolder } from '../fileModes.ts'
import { lmdbTransaction } from '../lmdbTransaction.ts'
import { makeLockFile } from '../lockFile.ts'
import {
  ACCESS_FOLDER,
  type AccessTable,
  type AccessTables,
  assertAccessUndamaged,
  openAccessTables,
} from './accessTables.ts'
import { AccessError } from './errors.ts'
import { decodeFleetKey, encodeFleetKey, type FleetKey } from './fleetKey.ts'
import { isLife } from './lifeUsage.ts'
import {
  addUsage,
  type DayUsage,
  decodeMethods,
  decodeUsage,
  encodeUsage,
  type MethodUsage,
  parseUsageKey,
  subtractUsage,
  usageKey,
} from './usageRecord.ts'

/** The contents of stores of the fleets before version 2 of their messages, for `fleet upgrade`. */

const MARK_KEY = Buffer.from('fleet')
const TIMEZONE_KEY = Buffer.from('timezone')
/** Tables of those fleets: their rows are of no use once they are brought over. */
const OLD_TABLES = ['own', 'unsent', 'outbox', 'applied', 'incoming']
const SEQUENCE_BYTES = 6
const LAST_DAY = 0xffff_ffff

/** The mark of such a store about its fleet. */
export interface OldMark {
  readonly fleet: string
  /** Id of the member. */
  readonly member: string
  /** Under which this store numbered what it counted. */
  readonly epoch: string
  /** When the stream of usage was made; empty before anything was read from it. */
  readonly stream: string
  /** Last sequence of that stream that is in the sum. */
  readonly position: number
}

/** The use that a member of such a fleet counted, once. */
export interface OldDelta {
  readonly member: string
  readonly epoch: string
  readonly sequence: number
  readonly rows: readonly DayUsage[]
}

/** @throws AccessError `ACCESS_DAMAGED` */
export function readOldMark(metadata: AccessTable): OldMark | null {
  const bytes = metadata.get(MARK_KEY)
  if (bytes === undefined) return null
  const mark = parse(asBuffer(bytes))
  const { fleet, member, epoch, stream, position } = mark ?? {}
  if (typeof fleet === 'string' && isLife(member) && isLife(epoch) && typeof stream === 'string')
    if (Number.isSafeInteger(position)) return { fleet, member, epoch, stream, position: position as number }
  throw new AccessError('ACCESS_DAMAGED', 'what the access store knows of its fleet is unreadable')
}

/** @throws AccessError `ACCESS_OLD_FLEET` for a store that was not brought over */
export function assertNoOldFleet(metadata: AccessTable): void {
  if (metadata.get(MARK_KEY) === undefined) return
  const advice = 'stop the node and run `rhizome fleet upgrade` with its configuration once'
  throw new AccessError(
    'ACCESS_OLD_FLEET',
    `the access store is one of a fleet of an earlier version: ${advice}`,
  )
}

/** A delta as such members published it; null for what is none. */
export function decodeOldDelta(bytes: Buffer): OldDelta | null {
  const { format, member, epoch, sequence, rows } = parse(bytes) ?? {}
  if (format !== 1 || !isLife(member) || !isLife(epoch) || !Array.isArray(rows)) return null
  if (!Number.isSafeInteger(sequence)) return null
  const decoded = rows.map((row) => {
    const [id, day, fields] = Array.isArray(row) ? (row as readonly unknown[]) : []
    const methods = decodeMethods(fields)
    const isDay = Number.isSafeInteger(day) && (day as number) >= 0 && (day as number) < LAST_DAY
    return typeof id === 'string' && isDay && methods !== null ? { id, day: day as number, methods } : null
  })
  if (!decoded.every((row) => row !== null)) return null
  return { member, epoch, sequence: sequence as number, rows: decoded }
}

/** The usage of such a store: the sum of its stream, and what this member counted that is not in it. */
export class OldUsage {
  readonly mark: OldMark
  readonly #applied = new Map<string, number>()
  readonly #sum: Map<string, DayUsage>
  readonly #own: Map<string, DayUsage>

  /** Null for a store that is not one. @throws AccessError `ACCESS_DAMAGED` */
  static read(tables: AccessTables): OldUsage | null {
    const mark = readOldMark(tables.metadata)
    return mark === null ? null : new OldUsage(tables, mark)
  }

  private constructor(tables: AccessTables, mark: OldMark) {
    this.mark = mark
    this.#sum = readRows(tables.usage)
    this.#own = readRows(tableOf(tables, 'own'))
    for (const { key, value } of tableOf(tables, 'applied').getRange({})) {
      this.#applied.set(asBuffer(key).toString('latin1'), asBuffer(value).readUIntBE(0, SEQUENCE_BYTES))
    }
  }

  /** Takes the next delta of the stream: each once, whatever the store had of it. */
  take({ member, epoch, sequence, rows }: OldDelta): void {
    const writer = member + epoch
    if (sequence <= (this.#applied.get(writer) ?? 0)) return
    this.#applied.set(writer, sequence)
    const isOwn = member === this.mark.member && epoch === this.mark.epoch
    for (const { id, day, methods } of rows) {
      const place = `${day} ${id}`
      const sum = new Map(this.#sum.get(place)?.methods)
      const own = new Map(this.#own.get(place)?.methods)
      for (const [method, usage] of methods) {
        sum.set(method, addUsage(sum.get(method), usage))
        const counted = own.get(method)
        const rest = isOwn && counted !== undefined ? subtractUsage(counted, usage) : (counted ?? null)
        if (rest === null) own.delete(method)
        else own.set(method, rest)
      }
      this.#sum.set(place, { id, day, methods: sum })
      this.#own.set(place, { id, day, methods: own })
    }
  }

  /** All that is known of the stream. */
  get sum(): readonly DayUsage[] {
    return [...this.#sum.values()]
  }

  /** The use that this member counted and the stream does not have. */
  get own(): readonly DayUsage[] {
    return [...this.#own.values()].filter(({ methods }) => methods.size > 0)
  }
}

/**
 * The access store of a member of such a fleet, or one that is none, for `fleet upgrade`; no other process has it open.
 */
export class OldFleetStore {
  readonly #tables: AccessTables
  /** Null for a store that is none, or was converted. */
  readonly usage: OldUsage | null
  /** Keys of the fleet, as this member knew them. */
  readonly keys: readonly FleetKey[]
  /** Time zone of the days. */
  readonly zone: string

  /** @throws AccessError `ACCESS_DAMAGED` */
  static open(dataDir: string): OldFleetStore {
    const path = join(dataDir, ACCESS_FOLDER)
    makePrivateFolder(path)
    assertAccessUndamaged(path, 'all')
    makeLockFile(path)
    return new OldFleetStore(openAccessTables(path))
  }

  private constructor(tables: AccessTables) {
    this.#tables = tables
    this.usage = OldUsage.read(tables)
    this.keys = [...tables.fleetKeys.getRange({})].map(({ key, value }) =>
      decodeFleetKey(asBuffer(key).toString('utf8'), asBuffer(value)),
    )
    this.zone = tables.metadata.get(TIMEZONE_KEY)?.toString('utf8') ?? 'UTC'
  }

  /** Makes it one that has counted nothing itself, with rows of these lives and these keys (fleet.md §7). */
  async convert(lives: ReadonlyMap<string, readonly DayUsage[]>, keys: readonly FleetKey[]): Promise<void> {
    const old = OLD_TABLES.map((name) => tableOf(this.#tables, name))
    await lmdbTransaction(this.#tables.root, () => {
      for (const [life, rows] of lives)
        for (const { id, day, methods } of rows) {
          const key = Buffer.concat([usageKey(id, day), Buffer.from(life, 'hex')])
          this.#tables.lives.putSync(key, encodeUsage(methods))
        }
      for (const key of keys) this.#tables.fleetKeys.putSync(Buffer.from(key.key.id), encodeFleetKey(key))
      this.#tables.usage.clearSync()
      for (const table of old) table.clearSync()
      this.#tables.metadata.removeSync(MARK_KEY)
    })
  }

  close(): Promise<void> {
    return this.#tables.root.close()
  }
}

function tableOf({ root }: AccessTables, name: string): AccessTable {
  return root.openDB<Buffer, Buffer>({ name, keyEncoding: 'binary', encoding: 'binary' })
}

function readRows(table: AccessTable): Map<string, DayUsage> {
  const rows = [...table.getRange({})].map(({ key, value }): [string, DayUsage] => {
    const place = parseUsageKey(asBuffer(key))
    const methods: ReadonlyMap<string, MethodUsage> = decodeUsage(asBuffer(value), place)
    return [`${place.day} ${place.id}`, { ...place, methods }]
  })
  return new Map(rows)
}

function parse(bytes: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null
  } catch {
    return null
  }
}
