import type { Database, RootDatabase, Transaction } from 'lmdb'
import { asBuffer } from '../util/bytes.ts'
import type { StorageError } from './errors.ts'
import { openLmdb } from './openLmdb.ts'
import { TABLE_NAMES, TABLES, type TableName } from './tables.ts'
import { MAP_FULL, toUnwritable } from './unwritable.ts'

type Table = Database<Buffer, Buffer>

/** Most named databases of the environment; more than any version has used so far. */
const MAX_TABLES = 64

/**
 * Most concurrent read transactions over all threads; LMDB's default of 126 is too few for large worker
 * pools.
 */
const MAX_READERS = 1022

/**
 * Default limit of the file size: this much address space is reserved, so that the file is never remapped
 * under readers.
 */
const DEFAULT_LIMIT = 256 * 2 ** 30

/**
 * lmdb-js enlarges the map when the file outgrows it, so that the limit is enforced here, with space for a
 * commit.
 */
const COMMIT_BYTES = 2 ** 20

/** Bytes that a transaction adds at most, far above what the largest does: so many need no look at the size before. */
const MAX_TRANSACTION_BYTES = 2 ** 26

/** Transactions between two looks at the size of the file, at most. */
const MAX_UNMEASURED = 256

const AT_THE_END = { append: true }

/** Reads of tables that all see one snapshot. */
export interface TableReader {
  /** The value under a key. The buffer stays valid. */
  get(table: TableName, key: Buffer): Buffer | undefined
  /**
   * Copies the value under a key into an array at an offset, if it fits.
   * @returns its length, -1 when there is none
   */
  copy(table: TableName, key: Buffer, target: Buffer, at: number): number
  /**
   * Entries in the order of their keys, from `start` inclusive to `end` exclusive. Their buffers stay valid.
   */
  range(table: TableName, start: Buffer, end: Buffer): Iterable<TableEntry>
}

/** Writes of tables inside a transaction, and reads that see them. */
export interface TableWriter extends TableReader {
  put(table: TableName, key: Buffer, value: Buffer): void
  /** The same for keys that mostly come in ascending order: pages left behind the last one are full. */
  append(table: TableName, key: Buffer, value: Buffer): void
  remove(table: TableName, key: Buffer): void
}

/** A snapshot that outlives the current tick, until it is released. */
export interface TableSnapshot extends TableReader {
  release(): void
}

/** Statistics of a memory map. */
export interface MapStats {
  /** Size of the map in bytes; it is enlarged when the file outgrows it. */
  readonly mapBytes: number
  /** High-water mark of the used bytes of the file. */
  readonly usedBytes: number
  /** High-water mark of the reader slots in use. */
  readonly readers: number
  /** Reader slots of the environment. */
  readonly mostReaders: number
}

/** Statistics that the library returns but does not declare. */
interface LibraryStats {
  readonly mapSize: number
  readonly lastPageNumber: number
  readonly pageSize: number
  readonly numReaders: number
  readonly maxReaders: number
}

/** A read with an option that the types of the library lack. */
interface FastReads {
  getBinaryFast(key: Buffer, options?: { readonly transaction: Transaction }): Buffer | undefined
}

/** Key and value of a table. */
export interface TableEntry {
  readonly key: Buffer
  readonly value: Buffer
}

/**
 * The chain store's LMDB environment. Every thread of the process may open it; one thread writes. Reads
 * outside of a snapshot see the last commit as of the current tick of the thread.
 */
export class ChainEnvironment implements TableReader {
  readonly #root: RootDatabase<Buffer, Buffer>
  readonly #tables: ReadonlyMap<TableName, Table>
  readonly #limitBytes: number
  #onUnwritable: (error: StorageError) => void = () => undefined
  /** Transactions that may begin before the size of the file is looked at again. */
  #unmeasured = 0

  /**
   * Opens the store, creating it if necessary.
   * @param path folder of the store
   * @param readOnly for threads that never write
   * @param limitBytes limit of the file size; writes are refused when less than a commit may take is left
   */
  constructor(path: string, options: { readOnly?: boolean; limitBytes?: number } = {}) {
    const { readOnly = false, limitBytes = DEFAULT_LIMIT } = options
    this.#limitBytes = limitBytes
    this.#root = openLmdb<Buffer, Buffer>({
      path,
      maxDbs: MAX_TABLES,
      maxReaders: MAX_READERS,
      mapSize: limitBytes,
      keyEncoding: 'binary',
      encoding: 'binary',
      readOnly,
      noSubdir: false,
      cache: false,
    })
    this.#tables = new Map(TABLE_NAMES.map((name) => [name, this.#openTable(name)]))
  }

  get(table: TableName, key: Buffer): Buffer | undefined {
    return this.#read(table, key)
  }

  copy(table: TableName, key: Buffer, target: Buffer, at: number): number {
    return this.#copy(table, key, target, at)
  }

  range(table: TableName, start: Buffer, end: Buffer): Iterable<TableEntry> {
    return this.#range(table, start, end)
  }

  /** Entries of a table in the order of their keys, from `start` on. Each is valid for good. */
  *entries(table: TableName, start?: Buffer): Generator<TableEntry> {
    for (const { key, value } of this.#table(table).getRange(start === undefined ? {} : { start })) {
      yield { key: asBuffer(key), value: asBuffer(value) }
    }
  }

  /** Number of entries of a table. */
  count(table: TableName): number {
    return this.#table(table).getCount()
  }

  /** Opens a snapshot. Long-held snapshots keep the file from reusing space. */
  snapshot(): TableSnapshot {
    const transaction = this.#root.useReadTransaction()
    return {
      get: (table, key) => this.#read(table, key, transaction),
      copy: (table, key, target, at) => this.#copy(table, key, target, at, transaction),
      range: (table, start, end) => this.#range(table, start, end, transaction),
      release: () => transaction.done(),
    }
  }

  /** Makes commits of other threads visible to the next reads. */
  refresh(): void {
    this.#root.resetReadTxn()
  }

  /**
   * Runs writes as one transaction: all are committed when the action returns, none when it throws. They are
   * on disk when {@link flushed} resolves.
   * @throws StorageError `STORAGE_UNWRITABLE` when the disk is full or fails: nothing was written
   */
  transaction<T>(action: (writer: TableWriter) => T): T {
    try {
      this.#assertBelowLimit()
      return this.#root.transactionSync(() => action(this.#writer))
    } catch (error) {
      const unwritable = toUnwritable(error)
      if (unwritable === null) throw error
      this.#onUnwritable(unwritable)
      throw unwritable
    }
  }

  /** Calls a listener with every write failure that may be temporary. */
  watchWrites(listener: (error: StorageError) => void): void {
    this.#onUnwritable = listener
  }

  /** Statistics of the memory map, for metrics. */
  stats(): MapStats {
    const { mapSize, lastPageNumber, pageSize, numReaders, maxReaders } =
      this.#root.getStats() as LibraryStats
    return {
      mapBytes: mapSize,
      usedBytes: (lastPageNumber + 1) * pageSize,
      readers: numReaders,
      mostReaders: maxReaders,
    }
  }

  /** Resolves when everything committed so far is on disk. */
  async flushed(): Promise<void> {
    await this.#root.flushed
  }

  async close(): Promise<void> {
    await this.#root.close()
  }

  /** @throws Error with LMDB's number for a full map */
  #assertBelowLimit(): void {
    if (this.#unmeasured > 0) {
      this.#unmeasured -= 1
      return
    }
    const { lastPageNumber, pageSize } = this.#root.getStats() as { lastPageNumber: number; pageSize: number }
    const free = this.#limitBytes - (lastPageNumber + 1) * pageSize
    this.#unmeasured = Math.max(0, Math.min(Math.floor(free / MAX_TRANSACTION_BYTES) - 1, MAX_UNMEASURED))
    if (free > COMMIT_BYTES) return
    throw Object.assign(new Error('the file has its largest size'), { code: MAP_FULL })
  }

  readonly #writer: TableWriter = {
    get: (table, key) => this.#read(table, key),
    copy: (table, key, target, at) => this.#copy(table, key, target, at),
    range: (table, start, end) => this.#range(table, start, end),
    put: (table, key, value) => this.#table(table).putSync(key, value),
    append: (name, key, value) => {
      const table = this.#table(name)
      // False where the key is not the last, which the types of the library do not declare.
      const isLast: unknown = table.putSync(key, value, AT_THE_END)
      if (isLast !== true) table.putSync(key, value)
    },
    remove: (table, key) => {
      this.#table(table).removeSync(key)
    },
  }

  #read(table: TableName, key: Buffer, transaction?: Transaction): Buffer | undefined {
    const value = this.#table(table).get(key, transaction === undefined ? undefined : { transaction })
    return value === undefined ? undefined : asBuffer(value)
  }

  #copy(name: TableName, key: Buffer, target: Buffer, at: number, transaction?: Transaction): number {
    // The result is the library's own memory: it is valid until the next read, and its `length` is not the
    // array's.
    const table: FastReads = this.#table(name)
    const value = table.getBinaryFast(key, transaction === undefined ? undefined : { transaction })
    if (value === undefined) return -1
    const { length } = value
    if (at + length <= target.length) target.set(value.subarray(0, length), at)
    return length
  }

  *#range(table: TableName, start: Buffer, end: Buffer, transaction?: Transaction): Generator<TableEntry> {
    const options = transaction === undefined ? { start, end } : { start, end, transaction }
    for (const { key, value } of this.#table(table).getRange(options)) {
      yield { key: asBuffer(key), value: asBuffer(value) }
    }
  }

  #table(name: TableName): Table {
    const table = this.#tables.get(name)
    if (table === undefined) throw new TypeError(`no table ${name}`)
    return table
  }

  #openTable(name: TableName): Table {
    return this.#root.openDB<Buffer, Buffer>({
      name: `${TABLES[name]}`,
      keyEncoding: 'binary',
      encoding: 'binary',
    })
  }
}
