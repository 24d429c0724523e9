import {
  closeSync,
  constants,
  fsync,
  ftruncate,
  ftruncateSync,
  openSync,
  readFileSync,
  rename,
  write,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { flushToDisk } from './durableFile.ts'
import { restrictModes } from './fileModes.ts'
import { assertPresent } from './formats/storeFormat.ts'
import { isDamaged, joinRecords, splitRecords } from './recordLogCodec.ts'
import { damagedRecords, headerRecord, type RecordLogKind, readHeader } from './recordLogFormat.ts'

const { O_CREAT, O_DSYNC, O_RDWR, O_TRUNC } = constants
/** Writes are synchronous on disk: a separate flush would cost another round trip of the thread pool. */
const OPEN = O_RDWR | O_CREAT | O_DSYNC
const MODE = 0o600

const writeAt = promisify(write)
const flush = promisify(fsync)
const moveFile = promisify(rename)
const cutFile = promisify(ftruncate)

/**
 * An append-only file of records: the cheapest way to make small data durable often, with one write off the
 * calling thread. Only one append or replacement runs at a time. A record that was truncated by a crash ends
 * the file: it was never acknowledged.
 */
export class RecordLog {
  /** Records in the file when it was opened, in order. */
  readonly records: readonly Buffer[]
  readonly #path: string
  readonly #kind: RecordLogKind
  #descriptor: number
  /** Offset of the next record. */
  #end: number
  /** True when a failed append may have left records after the end, which a shorter one would not overwrite. */
  #hasRest = false

  /**
   * Opens the file, creating it if necessary.
   * @throws StorageError `STORAGE_JOURNAL` when something in it is not what was written; `STORAGE_OLDER`,
   *   `STORAGE_NEWER` for another format
   */
  constructor(path: string, kind: RecordLogKind) {
    this.#path = path
    this.#kind = kind
    this.#descriptor = openSync(path, OPEN, MODE)
    try {
      restrictModes([path])
      flushToDisk(dirname(path))
      const { records, end } = this.#read()
      this.records = records
      this.#end = end
    } catch (error) {
      closeSync(this.#descriptor)
      throw error
    }
  }

  /** Length of the file in bytes. */
  get size(): number {
    return this.#end
  }

  /** Appends records; resolves when they are on disk. After a failure the next append overwrites them. */
  async append(records: readonly Uint8Array[]): Promise<void> {
    const bytes = joinRecords(records)
    if (this.#hasRest) await this.#cutRest()
    try {
      await writeAll(this.#descriptor, bytes, this.#end)
    } catch (error) {
      this.#hasRest = true
      // If this fails, too, the next append tries again before it writes.
      await this.#cutRest().catch(() => undefined)
      throw error
    }
    this.#end += bytes.length
  }

  /** Replaces all records atomically; resolves when they are on disk. */
  async replace(records: readonly Uint8Array[]): Promise<void> {
    const path = `${this.#path}.new`
    const descriptor = openSync(path, OPEN | O_TRUNC, MODE)
    const bytes = joinRecords([headerRecord(this.#kind), ...records])
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

  /** The records after the header, which a new file gets, and the offset of the next one. */
  #read(): { readonly records: readonly Buffer[]; readonly end: number } {
    const bytes = readFileSync(this.#descriptor)
    const { records, end } = splitRecords(bytes)
    if (isDamaged(bytes, end)) throw damagedRecords(this.#path, end)
    const log = readHeader(this.#kind, records)
    if (log !== null) {
      assertPresent(this.#kind, log.found)
      ftruncateSync(this.#descriptor, end)
      return { records: log.records, end }
    }
    // Either nothing was ever written, or a crash truncated the header.
    ftruncateSync(this.#descriptor, 0)
    const header = joinRecords([headerRecord(this.#kind)])
    for (let done = 0; done < header.length; ) {
      done += writeSync(this.#descriptor, header, done, header.length - done, done)
    }
    return { records: [], end: header.length }
  }

  async #cutRest(): Promise<void> {
    await cutFile(this.#descriptor, this.#end)
    this.#hasRest = false
  }
}

async function writeAll(descriptor: number, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await writeAt(descriptor, bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}
