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
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { restrictModes } from './fileModes.ts'
import { assertPresent } from './formats/storeFormat.ts'
import { isDamaged, joinRecords, splitRecords } from './recordLogCodec.ts'
import { damagedRecords, headerRecord, type RecordLogKind, readHeader } from './recordLogFormat.ts'

const { O_CREAT, O_DSYNC, O_RDWR, O_TRUNC } = constants
/** A write returns when it is on disk: to flush apart would take a second turn of whoever waits for it. */
const OPEN = O_RDWR | O_CREAT | O_DSYNC
const MODE = 0o600

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
  readonly #kind: RecordLogKind
  #descriptor: number
  /** Where the next record goes. */
  #end: number
  /** Whether a failed append may have left records behind the end: a shorter one would not cover them. */
  #hasRest = false

  /**
   * Opens the file, making it when it is not there.
   * @throws StorageError `STORAGE_JOURNAL` when something in it is not what was written; `STORAGE_OLDER`,
   * `STORAGE_NEWER` for another format
   */
  constructor(path: string, kind: RecordLogKind) {
    this.#path = path
    this.#kind = kind
    this.#descriptor = openSync(path, OPEN, MODE)
    try {
      restrictModes([path])
      flushFolderOf(path)
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

  /** The records behind the header, which a new file gets, and where the next one goes. */
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
    // Nothing was ever written, or the header was cut off by a crash.
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
