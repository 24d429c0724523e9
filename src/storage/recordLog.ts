import {
  closeSync,
  constants,
  fsync,
  fsyncSync,
  ftruncate,
  ftruncateSync,
  openSync,
  readFileSync,
  rename,
  write,
} from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { StorageError } from './errors.ts'

/** Bytes before a record: its length 4 ∥ its CRC-32 4, little-endian. */
const HEAD_LENGTH = 8
const { O_CREAT, O_DSYNC, O_RDWR, O_TRUNC } = constants
/** A write returns when it is on disk: to flush apart would take a second turn of whoever waits for it. */
const OPEN = O_RDWR | O_CREAT | O_DSYNC
const MODE = 0o600
/** More than any record has; what says that it is longer is none. */
const LARGEST_RECORD = 16 * 2 ** 20
/** Bytes behind damage in which a whole record is looked for. */
const LONGEST_SEARCH = 2 ** 20

const writeAt = promisify(write)
const flush = promisify(fsync)
const moveFile = promisify(rename)
const cutFile = promisify(ftruncate)

/**
 * Records in a file, one behind the other: the cheapest way to make little durable often, one write beside
 * the thread that asks. One append or replacement at a time. A record that was cut off by a crash ends the
 * file: it was never acknowledged.
 */
export class RecordLog {
  /** What the file held when it was opened, in order. */
  readonly records: readonly Buffer[]
  readonly #path: string
  #descriptor: number
  /** Where the next record goes. */
  #end: number
  /** Whether a failed append may have left records behind the end: a shorter one would not cover them. */
  #hasRest = false

  /**
   * Opens the file, making it when it is not there.
   * @throws StorageError `STORAGE_JOURNAL` when something in it is not what was written
   */
  constructor(path: string) {
    this.#path = path
    this.#descriptor = openSync(path, OPEN, MODE)
    flushFolderOf(path)
    const bytes = readFileSync(this.#descriptor)
    const { records, end } = splitRecords(bytes)
    if (isDamaged(bytes, end)) {
      closeSync(this.#descriptor)
      throw new StorageError('STORAGE_JOURNAL', `${path} is damaged at byte ${end}`)
    }
    this.records = records
    this.#end = end
    ftruncateSync(this.#descriptor, end)
  }

  /** Length of the file in bytes. */
  get size(): number {
    return this.#end
  }

  /** Adds records; resolves when they are on disk. After a failure the next append takes their place. */
  async append(records: readonly Uint8Array[]): Promise<void> {
    const bytes = joinRecords(records)
    if (this.#hasRest) await this.#cutRest()
    try {
      await writeAll(this.#descriptor, bytes, this.#end)
    } catch (error) {
      this.#hasRest = true
      // Where this fails, too, the next append tries again before it writes.
      await this.#cutRest().catch(() => undefined)
      throw error
    }
    this.#end += bytes.length
  }

  /** Makes these records all there is, in one step; resolves when that is on disk. */
  async replace(records: readonly Uint8Array[]): Promise<void> {
    const path = `${this.#path}.new`
    const descriptor = openSync(path, OPEN | O_TRUNC, MODE)
    const bytes = joinRecords(records)
    try {
      await writeAll(descriptor, bytes, 0)
      await moveFile(path, this.#path)
    } catch (error) {
      closeSync(descriptor)
      throw error
    }
    closeSync(this.#descriptor)
    this.#descriptor = descriptor
    this.#end = bytes.length
    this.#hasRest = false
    const folder = openSync(dirname(this.#path), constants.O_RDONLY)
    await flush(folder).finally(() => closeSync(folder))
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  async #cutRest(): Promise<void> {
    await cutFile(this.#descriptor, this.#end)
    this.#hasRest = false
  }
}

function flushFolderOf(path: string): void {
  const folder = openSync(dirname(path), constants.O_RDONLY)
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

async function writeAll(descriptor: number, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await writeAt(descriptor, bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}

function joinRecords(records: readonly Uint8Array[]): Buffer {
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

/** The records up to the first that is cut off or damaged, and where that is. */
function splitRecords(bytes: Buffer): { records: Buffer[]; end: number } {
  const records: Buffer[] = []
  let end = 0
  for (let record = recordAt(bytes, end); record !== null; record = recordAt(bytes, end)) {
    records.push(record)
    end += HEAD_LENGTH + record.length
  }
  return { records, end }
}

/** The whole record at a place; null when there is none. */
function recordAt(bytes: Buffer, at: number): Buffer | null {
  const start = at + HEAD_LENGTH
  if (start > bytes.length) return null
  const length = bytes.readUInt32LE(at)
  // Zeros are room that was never written, not records of nothing.
  if (length === 0 || start + length > bytes.length) return null
  const record = bytes.subarray(start, start + length)
  return crc32(record) === bytes.readUInt32LE(at + 4) ? record : null
}

/**
 * Whether what follows the whole records was damaged rather than cut off by a crash: a crash leaves the beginning of
 * records, and nothing whole behind it.
 */
function isDamaged(bytes: Buffer, end: number): boolean {
  if (end + HEAD_LENGTH <= bytes.length && bytes.readUInt32LE(end) > LARGEST_RECORD) return true
  const last = Math.min(bytes.length, end + LONGEST_SEARCH)
  for (let at = end + 1; at + HEAD_LENGTH <= last; at += 1) {
    if (bytes.readUInt32LE(at) <= LARGEST_RECORD && recordAt(bytes, at) !== null) return true
  }
  return false
}
