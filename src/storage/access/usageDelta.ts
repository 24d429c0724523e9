import { AccessError } from './errors.ts'
import { type DayUsage, decodeMethods, encodeMethods, type MethodUsage } from './usageRecord.ts'

/** Most bytes of an encoded delta: far below the largest message that NATS servers let through. */
export const DELTA_BYTES = 128 * 1024

const FORMAT = 1
const HEX_ID = /^[0-9a-f]{16}$/
const LONGEST_ID = 64
const LAST_DAY = 0xffff_ffff

/** What one member counted, once: identified by member, epoch and sequence (fleet.md §7). */
export interface UsageDelta {
  /** 16 hex digits. */
  readonly member: string
  /** 16 hex digits, random: a store that was restored from an older copy gets another one. */
  readonly epoch: string
  /** From 1, without holes within an epoch. */
  readonly sequence: number
  readonly rows: readonly DayUsage[]
}

/** The form in which deltas are stored and published. */
export function encodeDelta({ member, epoch, sequence, rows }: UsageDelta): Buffer {
  const encoded = rows.map(({ id, day, methods }) => [id, day, encodeMethods(methods)])
  return Buffer.from(JSON.stringify({ format: FORMAT, member, epoch, sequence, rows: encoded }))
}

/**
 * A delta out of that form.
 * @throws AccessError `ACCESS_DAMAGED` for anything else, and for what is longer than {@link DELTA_BYTES}
 */
export function decodeDelta(bytes: Buffer): UsageDelta {
  const delta = bytes.length > DELTA_BYTES ? null : read(bytes)
  if (delta === null) throw new AccessError('ACCESS_DAMAGED', 'a delta of usage is unreadable')
  return delta
}

function read(bytes: Buffer): UsageDelta | null {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { format, member, epoch, sequence, rows } = value as Readonly<Record<string, unknown>>
  if (format !== FORMAT || !isHexId(member) || !isHexId(epoch) || !Array.isArray(rows)) return null
  if (!Number.isSafeInteger(sequence) || (sequence as number) < 1) return null
  const decoded = rows.map(readRow)
  if (!decoded.every((row) => row !== null)) return null
  return { member, epoch, sequence: sequence as number, rows: decoded }
}

function readRow(row: unknown): DayUsage | null {
  if (!Array.isArray(row) || row.length !== 3) return null
  const [id, day, fields] = row as readonly unknown[]
  if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID || id.includes('\0')) return null
  if (!Number.isSafeInteger(day) || (day as number) < 0 || (day as number) >= LAST_DAY) return null
  const methods = decodeMethods(fields)
  const isNegative = (usage: MethodUsage) => Object.values(usage).some((figure: number) => figure < 0)
  if (methods !== null && [...methods.values()].some(isNegative)) return null
  return methods === null ? null : { id, day: day as number, methods }
}

function isHexId(value: unknown): value is string {
  return typeof value === 'string' && HEX_ID.test(value)
}

/** Bytes that a row takes in an encoded delta, at most. */
export function rowBytes(key: Buffer, value: Buffer): number {
  return 2 * key.length + value.length + 16
}
