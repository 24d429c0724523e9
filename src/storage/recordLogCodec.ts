import { crc32 } from 'node:zlib'

/** Bytes before a record: its length 4 ∥ its CRC-32 4, little-endian. */
const HEAD_LENGTH = 8
/** Larger than any record; a longer length is not a record's. */
const MAX_RECORD_BYTES = 16 * 2 ** 20
/** Bytes after damage in which a whole record is searched. */
const MAX_SEARCH_BYTES = 2 ** 20

/** Encodes records as in a file. */
export function joinRecords(records: readonly Uint8Array[]): Buffer {
  const length = records.reduce((sum, record) => sum + HEAD_LENGTH + record.length, 0)
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  for (const record of records) {
    at = bytes.writeUInt32LE(record.length, at)
    at = bytes.writeUInt32LE(crc32(record), at)
    bytes.set(record, at)
    at += record.length
  }
  return bytes
}

/** The records up to the first truncated or damaged one, and its offset. */
export function splitRecords(bytes: Buffer): { records: Buffer[]; end: number } {
  const records: Buffer[] = []
  let end = 0
  for (let record = recordAt(bytes, end); record !== null; record = recordAt(bytes, end)) {
    records.push(record)
    end += HEAD_LENGTH + record.length
  }
  return { records, end }
}

/** The whole record at an offset; null when there is none. */
function recordAt(bytes: Buffer, at: number): Buffer | null {
  const start = at + HEAD_LENGTH
  if (start > bytes.length) return null
  const length = bytes.readUInt32LE(at)
  // Zeros are unwritten space, not empty records.
  if (length === 0 || start + length > bytes.length) return null
  const record = bytes.subarray(start, start + length)
  return crc32(record) === bytes.readUInt32LE(at + 4) ? record : null
}

/**
 * Whether the bytes after the whole records are damaged rather than truncated by a crash: a crash leaves the
 * beginning of records, and no whole record after it.
 */
export function isDamaged(bytes: Buffer, end: number): boolean {
  if (end + HEAD_LENGTH <= bytes.length && bytes.readUInt32LE(end) > MAX_RECORD_BYTES) return true
  const last = Math.min(bytes.length, end + MAX_SEARCH_BYTES)
  for (let at = end + 1; at + HEAD_LENGTH <= last; at += 1) {
    if (bytes.readUInt32LE(at) <= MAX_RECORD_BYTES && recordAt(bytes, at) !== null) return true
  }
  return false
}
