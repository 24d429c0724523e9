import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { KEY_ID } from '../../storage/access/keyRecord.ts'
import { type DayCost, isLife } from '../../storage/access/lifeUsage.ts'
import { type DayUsage, decodeMethods, encodeMethods, KEYLESS_ID } from '../../storage/access/usageRecord.ts'
import { FleetError } from '../errors.ts'

/** Most bytes of a message that tells use. */
export const TOLD_BYTES = 64 * 1024
/** Blocks into which the keys of a life and day are divided, by their ids. */
const BLOCKS = 64
/** Most bytes of a record of the bucket, and of what it holds when it is unpacked. */
const RECORD_BYTES = 1024 * 1024
const UNPACKED_BYTES = 16 * RECORD_BYTES
const MAX_DAY = 0xffff_fffe

/** Use of keys with limits that one process tells the others: values that only grow. */
export interface Told {
  readonly life: string
  /** A random number of the process. */
  readonly by: string
  /** Time zone of the days. */
  readonly zone: string
  /** Counted by process, so that a message that was lost is noticed. */
  readonly sequence: number
  /** True when some of it waited for long before it was told. */
  readonly isLate: boolean
  readonly rows: readonly DayCost[]
}

/** @param rows as many of the first ones as there is room for are taken */
export function encodeTold({ rows, ...head }: Told): { readonly bytes: Buffer; readonly taken: number } {
  let room = TOLD_BYTES - 256
  const fitting = rows.findIndex(([id, day, cost]) => {
    room -= id.length + String(day).length + String(cost).length + 7
    return room < 0
  })
  const taken = fitting < 0 ? rows.length : fitting
  return { bytes: Buffer.from(JSON.stringify({ ...head, rows: rows.slice(0, taken) })), taken }
}

/** @throws FleetError `Malformed` */
export function decodeTold(bytes: Buffer): Told {
  const { life, by, zone, sequence, isLate, rows } = parse(bytes, TOLD_BYTES)
  if (!isLife(life) || !isLife(by) || typeof zone !== 'string' || !isCount(sequence) || !Array.isArray(rows))
    throw malformed()
  return { life, by, zone, sequence, isLate: isLate === true, rows: rows.map(readCost) }
}

/** Where a row stands in the bucket: life, day, block of keys. */
export function recordName(life: string, { id, day }: Pick<DayUsage, 'id' | 'day'>): string {
  let sum = 0
  for (const byte of Buffer.from(id)) sum = (sum * 31 + byte) % BLOCKS
  return `${life}.${day}.${sum}`
}

/** Null for a name that stands for no record. */
export function parseRecordName(name: string): { readonly life: string; readonly day: number } | null {
  const [life, day = '', block, ...more] = name.split('.')
  if (!isLife(life) || !/^\d{1,9}$/.test(day) || block === undefined || more.length > 0) return null
  return { life, day: Number(day) }
}

/** A record of the bucket. */
export interface CounterRecord extends Pick<Told, 'by' | 'zone'> {
  readonly rows: readonly DayUsage[]
}

export function encodeRecord({ rows, ...head }: CounterRecord): Buffer {
  return deflateRawSync(JSON.stringify({ ...head, rows: rows.map(plainly) }), { level: 1 })
}

/** @throws FleetError `Malformed`, and what does not unpack */
export function decodeRecord(bytes: Uint8Array): CounterRecord {
  if (bytes.length > RECORD_BYTES) throw malformed()
  const { by, zone, rows } = parse(inflateRawSync(bytes, { maxOutputLength: UNPACKED_BYTES }), UNPACKED_BYTES)
  if (!isLife(by) || typeof zone !== 'string' || !Array.isArray(rows)) throw malformed()
  return { by, zone, rows: rows.map(readUsage) }
}

/** A member's knowledge of the life of another one. */
export interface KnownLife {
  /** True when it counts under that life itself. */
  readonly isOwn: boolean
  readonly rows: readonly DayUsage[]
  readonly told: readonly DayCost[]
}

export function encodeKnown({ rows, ...known }: KnownLife): Buffer {
  return Buffer.from(JSON.stringify({ ...known, rows: rows.map(plainly) }))
}

/** @throws FleetError `Malformed` */
export function decodeKnown(bytes: Buffer): KnownLife {
  const { isOwn, rows, told } = parse(bytes, Number.POSITIVE_INFINITY)
  if (typeof isOwn !== 'boolean' || !Array.isArray(rows) || !Array.isArray(told)) throw malformed()
  return { isOwn, rows: rows.map(readUsage), told: told.map(readCost) }
}

function plainly({ id, day, methods }: DayUsage): readonly unknown[] {
  return [id, day, encodeMethods(methods)]
}

function readUsage(row: unknown): DayUsage {
  const [id, day, fields] = Array.isArray(row) ? (row as readonly unknown[]) : []
  const methods = decodeMethods(fields)
  if (!isPlace(id, day) || methods === null) throw malformed()
  for (const usage of methods.values()) if (!Object.values(usage).every(isCount)) throw malformed()
  return { id: id as string, day: day as number, methods }
}

function readCost(row: unknown): DayCost {
  const [id, day, cost] = Array.isArray(row) ? (row as readonly unknown[]) : []
  if (!isPlace(id, day) || !isCount(cost)) throw malformed()
  return [id as string, day as number, cost]
}

function isPlace(id: unknown, day: unknown): boolean {
  return typeof id === 'string' && (id === KEYLESS_ID || KEY_ID.test(id)) && isCount(day) && day <= MAX_DAY
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function parse(bytes: Buffer, most: number): Readonly<Record<string, unknown>> {
  if (bytes.length > most) throw malformed()
  const value: unknown = JSON.parse(bytes.toString('utf8'))
  if (typeof value !== 'object' || value === null) throw malformed()
  return value as Readonly<Record<string, unknown>>
}

function malformed(): FleetError {
  return new FleetError('Malformed', 'no message or record of counters')
}
