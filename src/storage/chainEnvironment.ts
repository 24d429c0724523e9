import { type Database, open, type RootDatabase, type Transaction } from 'lmdb'
import { asBuffer } from '../util/bytes.ts'
import type { StorageError } from './errors.ts'
import { TABLE_NAMES, TABLES, type TableName } from './tables.ts'
import { MAP_FULL, toUnwritable } from './unwritable.ts'

type Table = Database<Buffer, Buffer>

/** Named databases that the environment has room for; more than the tables of any version so far. */
const MAXIMUM_TABLES = 64

/** Reads that may be open at once, over all threads; LMDB's default of 126 is little for large pools. */
const MOST_READERS = 1022

/** Largest file unless said: address space of so much is reserved, so that it is never mapped anew under readers. */
const DEFAULT_LIMIT = 256 * 2 ** 30

/** lmdb-js makes the map larger when the file outgrows it, so that a bound is kept here, with room for a commit. */
const COMMIT_ROOM = 2 ** 20

const AT_THE_END = { append: true }

/** Reads of tables, all of one moment. */
export interface TableReader {
  /** The value under a key; it stays valid. */
  get(table: TableName, key: Buffer): Buffer | undefined
  /**
   * Copies the value under a key to a place of an array, where it has room.
   * @returns its length, -1 when there is none
   */
  copy(table: TableName, key: Buffer, target: Buffer, at: number): number
  /** Entries in the order of their keys, from `start` on and before `end`. Each is valid for good. */
  range(table: TableName, start: Buffer, end: Buffer): Iterable<TableEntry>
}

/** Writes of tables inside a transaction, and reads that see them. */
export interface TableWriter extends TableReader {
  put(table: TableName, key: Buffer, value: Buffer): void
  /** The same for keys that mostly come in their order: pages that are left behind the last one are full. */
  append(table: TableName, key: Buffer, value: Buffer): void
  remove(table: TableName, key: Buffer): void
}

/** Reads of one moment that last over waiting, until they are released. */
export interface TableSnapshot extends TableReader {
  release(): void
}

/** Figures of a memory map. */
export interface MapStats {
  /** Bytes that it may grow to before it is made larger. */
  readonly mapBytes: number
  /** Bytes of the file that were ever used. */
  readonly usedBytes: number
  /** Slots of readers that were ever taken at the same time. */
  readonly readers: number
  /** Slots of readers that there are. */
  readonly mostReaders: number
}

/** What the library tells and does not declare. */
interface LibraryStats {
  readonly mapSize: number
  readonly lastPageNumber: number
  readonly pageSize: number
  readonly numReaders: number
  readonly maxReaders: number
}

/** A read of the library with an option that its types leave out. */
interface FastReads {
  getBinaryFast(key: Buffer, options?: { readonly transaction: Transaction }): Buffer | undefined
}

/** Key and value of a table. */
export interface TableEntry {
  readonly key: Buffer
  readonly value: Buffer
}

/**
 * The chain store's LMDB environment. Every thread of the process may open it; one thread writes.
 * Reads that are not on a snapshot belong to the last commit that the thread has seen since it last
 * waited.
 */
export class ChainEnvironment implements TableReader {
  readonly #root: RootDatabase<Buffer, Buffer>
  readonly #tables: ReadonlyMap<TableName, Table>
  readonly #limitBytes: number
  #onUnwritable: (error: StorageError) => void = () => undefined

  /**
   * Opens the store, making it when it is not there.
   * @param path folder of the store
   * @param readOnly for threads that never write
   * @param limitBytes largest size of the file; with less than some commits' room left nothing more is written
   */
  constructor(path: string, options: { readOnly?: boolean; limitBytes?: number } = {}) {
    const { readOnly = false, limitBytes = DEFAULT_LIMIT } = options
    this.#limitBytes = limitBytes
    this.#root = open<Buffer, Buffer>({
      path,
      maxDbs: MAXIMUM_TABLES,
      maxReaders: MOST_READERS,
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

  /** Fixes what is read until it is released. Long-held snapshots keep the file from reusing space. */
  snapshot(): TableSnapshot {
    const transaction = this.#root.useReadTransaction()
    return {
      get: (table, key) => this.#read(table, key, transaction),
      copy: (table, key, target, at) => this.#copy(table, key, target, at, transaction),
      range: (table, start, end) => this.#range(table, start, end, transaction),
      release: () => transaction.done(),
    }
  }

  /** Lets the next reads see what other threads have committed. */
  refresh(): void {
    this.#root.resetReadTxn()
  }

  /**
   * Runs writes as one transaction: all of them are committed when the action returns, none when it
   * throws. It is on disk when {@link flushed} resolves.
   * @throws StorageError `STORAGE_UNWRITABLE` when there is no room or the disk fails: nothing was written
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

  /** Calls a listener with every failure of a write that may pass. */
  watchWrites(listener: (error: StorageError) => void): void {
    this.#onUnwritable = listener
  }

  /** Figures of the memory map, for metrics. */
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
    const { lastPageNumber, pageSize } = this.#root.getStats() as { lastPageNumber: number; pageSize: number }
    if ((lastPageNumber + 1) * pageSize + COMMIT_ROOM < this.#limitBytes) return
    throw Object.assign(new Error('the file has its largest size'), { code: MAP_FULL })
  }

  readonly #writer: TableWriter = {
    get: (table, key) => this.#read(table, key),
    copy: (table, key, target, at) => this.#copy(table, key, target, at),
    range: (table, start, end) => this.#range(table, start, end),
    put: (table, key, value) => this.#table(table).putSync(key, value),
    append: (name, key, value) => {
      const table = this.#table(name)
      // False where the key is not behind all others, which the types of the library do not tell.
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
    // What it gives is the library's own memory: valid until the next read, and its `length` is not the array's.
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
