import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { KEY_ID } from '../../storage/access/keyRecord.ts'
import { type DayCost, isLife } from '../../storage/access/lifeUsage.ts'
import { type DayUsage, decodeMethods, encodeMethods, KEYLESS_ID } from '../../storage/access/usageRecord.ts'
import { count, flag, isCount, list, name, parse, type Read, record, tuple, where } from '../nats/shape.ts'

/** Most bytes of a message that reports use. */
export const REPORT_BYTES = 64 * 1024
/** Blocks into which the keys of a life and day are divided, by their ids. */
const BLOCKS = 64
/** Most bytes of a record of the bucket when it is unpacked. */
const UNPACKED_BYTES = 16 * 1024 * 1024
const MAX_DAY = 0xffff_fffe

const life = where(isLife)
const keyId = where((id): id is string => typeof id === 'string' && (id === KEYLESS_ID || KEY_ID.test(id)))
const day = where((value): value is number => isCount(value) && value <= MAX_DAY)
const cost: (value: unknown) => DayCost = tuple(keyId, day, count)
const usageRow = tuple(keyId, day, (value) => {
  const methods = decodeMethods(value)
  for (const usage of methods?.values() ?? []) list(count)(Object.values(usage))
  return where((read: unknown): read is NonNullable<typeof methods> => read !== null)(methods)
})

function usage(value: unknown): DayUsage {
  const [id, day, methods] = usageRow(value)
  return { id, day, methods }
}

/** The process that counts, and by which days. */
const writer = { by: life, zone: name }
const useReport = record({
  ...writer,
  life,
  /** Counted by process, so that a message that was lost is noticed. */
  sequence: count,
  /** True when some of it waited for long before it was reported. */
  isLate: flag,
  rows: list(cost),
})
const counterRecord = record({ ...writer, rows: list(usage) })
const known = record({
  /** True when it counts under that life itself. */
  isOwn: flag,
  rows: list(usage),
  reported: list(cost),
})

/** Use of keys with limits that one process reports to the others: values that only grow. */
export type UseReport = Read<typeof useReport>
/** A record of the bucket. */
export type CounterRecord = Read<typeof counterRecord>
/** A member's knowledge of the life of another one. */
export type KnownLife = Read<typeof known>

/** @param rows as many of the first ones as fit are taken */
export function encodeReport({ rows, ...head }: UseReport): {
  readonly bytes: Buffer
  readonly taken: number
} {
  let left = REPORT_BYTES - 256
  const fitting = rows.findIndex(([id, day, cost]) => {
    left -= id.length + String(day).length + String(cost).length + 7
    return left < 0
  })
  const taken = fitting < 0 ? rows.length : fitting
  return { bytes: Buffer.from(JSON.stringify({ ...head, rows: rows.slice(0, taken) })), taken }
}

/** @throws FleetError `Malformed` */
export function decodeReport(bytes: Buffer): UseReport {
  return parse(bytes, REPORT_BYTES, useReport)
}

/** Name of a row in the bucket: life, day, block of keys. */
export function recordName(life: string, { id, day }: Pick<DayUsage, 'id' | 'day'>): string {
  let sum = 0
  for (const byte of Buffer.from(id)) sum = (sum * 31 + byte) % BLOCKS
  return `${life}.${day}.${sum}`
}

/** Null for a name that stands for no record. */
export function parseRecordName(name: string): { readonly life: string; readonly day: number } | null {
  const [, life, day] = /^([0-9a-f]{16})\.(\d{1,9})\.\d+$/.exec(name) ?? []
  return life === undefined ? null : { life, day: Number(day) }
}

export function encodeRecord(counted: CounterRecord): Buffer {
  return deflateRawSync(encodeRows(counted), { level: 1 })
}

/** @throws FleetError `Malformed`, and what does not unpack */
export function decodeRecord(bytes: Uint8Array): CounterRecord {
  return parse(inflateRawSync(bytes, { maxOutputLength: UNPACKED_BYTES }), UNPACKED_BYTES, counterRecord)
}

/** @throws FleetError `Malformed` */
export function decodeKnown(bytes: Buffer): KnownLife {
  return parse(bytes, bytes.length, known)
}

/** JSON of what has rows of use, a {@link KnownLife} among others. */
export function encodeRows<T extends Pick<KnownLife, 'rows'>>(message: T): Buffer {
  const rows = message.rows.map(({ id, day, methods }) => [id, day, encodeMethods(methods)])
  return Buffer.from(JSON.stringify({ ...message, rows }))
}
