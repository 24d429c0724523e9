import {
  decodeFilter,
  decodePosition,
  encodeFilter,
  encodePosition,
  FILTER_ID_BYTES,
} from '../../storage/filters/filterRecord.ts'
import type { FilterRow } from '../../storage/filters/filterStore.ts'
import { FleetError } from '../errors.ts'
import { pack, unpack } from '../nats/packed.ts'

/** Bytes of filters that are handed over at once, about: a filter has up to 128 KiB. */
const TAKEN_BYTES = 256 * 1024
/** Largest piece that another member is given. */
const LARGEST_PIECE = 1024 * 1024
/** What a filter takes beside its criteria. */
const ROW_BYTES = 256

/** How many of some filters are handed over at once: at least one. @param bytes of each */
export function takeRows(bytes: Iterable<number>): number {
  let sum = 0
  let count = 0
  for (const own of bytes) {
    sum += own + ROW_BYTES
    if (count > 0 && sum > TAKEN_BYTES) break
    count += 1
  }
  return count
}

/** Filters for another member; empty for none. */
export function encodeRows(rows: readonly FilterRow[]): Buffer {
  if (rows.length === 0) return Buffer.alloc(0)
  return pack(rows.map(({ id, filter, position }) => [id, encodeFilter(filter), encodePosition(position)]))
}

/** @throws FleetError `Malformed`, `TooLarge`; StorageError `STORAGE_CORRUPT` */
export function decodeRows(bytes: Buffer): FilterRow[] {
  const rows = unpack(bytes, LARGEST_PIECE)
  if (!Array.isArray(rows)) throw malformed()
  return rows.map((row: unknown) => {
    const [id, filter, position] = Array.isArray(row) ? row.map(bytesOf) : []
    if (id?.length !== FILTER_ID_BYTES || filter === undefined || position === undefined) throw malformed()
    return { id: Buffer.from(id), filter: decodeFilter(filter), position: decodePosition(position) }
  })
}

/** Ids of encoded filters. @throws FleetError `Malformed`, `TooLarge` */
export function idsOfRows(bytes: Buffer): Buffer[] {
  return bytes.length === 0 ? [] : decodeRows(bytes).map(({ id }) => id)
}

function bytesOf(value: unknown): Buffer {
  if (!(value instanceof Uint8Array)) throw malformed()
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

function malformed(): FleetError {
  return new FleetError('Malformed', 'filters of another member do not parse')
}
