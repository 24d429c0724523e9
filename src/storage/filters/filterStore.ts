import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { asBuffer } from '../../util/bytes.ts'
import { StorageError } from '../errors.ts'
import { makePrivateFolder, restrictModes, storePaths } from '../fileModes.ts'
import { readFormat, recordProgram } from '../formats/formatTable.ts'
import { assertPresent, type SupportedFormats } from '../formats/storeFormat.ts'
import { makeLockFile } from '../lockFile.ts'
import { findStoreDamage, recordStoresCreated } from '../storeFile.ts'
import { toUnwritable } from '../unwritable.ts'
import {
  decodeFilter,
  decodePosition,
  encodeFilter,
  encodePosition,
  FILTER_ID_BYTES,
  type FilterPosition,
  type StoredFilter,
} from './filterRecord.ts'
import { FILTERS_FOLDER, type FilterTables, filterFormatTable, openFilterTables } from './filterTables.ts'

/** Formats of the tables of the filter store and their values. */
export const FILTER_FORMATS: SupportedFormats = { name: 'the filter store', current: 1, oldest: 1 }

/** A filter with its id and position. */
export interface FilterRow {
  /** 16 bytes. */
  readonly id: Buffer
  readonly filter: StoredFilter
  readonly position: FilterPosition
}

/** A change that is to be on disk. */
type Change =
  | { readonly kind: 'put'; readonly row: FilterRow }
  | { readonly kind: 'move'; readonly id: Buffer; readonly position: FilterPosition }
  | { readonly kind: 'remove'; readonly id: Buffer }

interface Waiting {
  readonly changes: readonly Change[]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** What a {@link FilterStore} is opened with. */
export interface FilterStoreOptions {
  readonly dataDir: string
  /** Told why the filters of an earlier run are lost. */
  readonly onReset: (reason: string) => void
}

/**
 * The filters of a member of a fleet and their positions (fleet.md §6), in an LMDB environment of their own. A resolved
 * promise means that the change is on disk. What comes while a commit is written waits for the next one together, so
 * that any number of polls share a flush.
 */
export class FilterStore {
  readonly #tables: FilterTables
  #waiting: Waiting[] = []
  #writing: Promise<void> | null = null

  private constructor(tables: FilterTables) {
    this.#tables = tables
  }

  /**
   * Opens the store, or creates it. Filters can be installed again: a damaged store is begun anew.
   * @throws StorageError `STORAGE_NEWER`
   */
  static open({ dataDir, onReset }: FilterStoreOptions): FilterStore {
    const path = join(dataDir, FILTERS_FOLDER)
    const damage = existsSync(path) ? findStoreDamage(path, { pages: 'all' }) : null
    if (damage !== null) {
      onReset(`the filter store is damaged and begun anew: ${damage}`)
      rmSync(path, { recursive: true })
    }
    makePrivateFolder(path)
    makeLockFile(path)
    const tables = openFilterTables(path)
    try {
      tables.root.transactionSync(() => {
        const table = filterFormatTable(tables)
        const found = readFormat(table)
        if (found !== null) assertPresent(FILTER_FORMATS, found)
        recordProgram(table, FILTER_FORMATS.current)
      })
    } catch (error) {
      void tables.root.close()
      throw error
    }
    recordStoresCreated([path])
    restrictModes(storePaths(path))
    return new FilterStore(tables)
  }

  /** Every filter. @throws StorageError `STORAGE_CORRUPT` */
  *rows(): Generator<FilterRow> {
    const { root, filters, positions } = this.#tables
    root.resetReadTxn()
    for (const { key, value } of filters.getRange({})) {
      const id = Buffer.from(asBuffer(key))
      const position = positions.get(id)
      if (id.length !== FILTER_ID_BYTES || position === undefined) {
        throw new StorageError('STORAGE_CORRUPT', 'the filter store holds a filter without its position')
      }
      yield {
        id,
        filter: decodeFilter(Buffer.from(asBuffer(value))),
        position: decodePosition(Buffer.from(asBuffer(position))),
      }
    }
  }

  /** Adds filters, all of them or none. @throws StorageError `STORAGE_UNWRITABLE` */
  put(rows: readonly FilterRow[]): Promise<void> {
    return this.#change(rows.map((row) => ({ kind: 'put', row })))
  }

  /** Moves a filter to a position. @throws StorageError `STORAGE_UNWRITABLE` */
  move(id: Buffer, position: FilterPosition): Promise<void> {
    return this.#change([{ kind: 'move', id, position }])
  }

  /** @throws StorageError `STORAGE_UNWRITABLE` */
  remove(ids: readonly Buffer[]): Promise<void> {
    return this.#change(ids.map((id) => ({ kind: 'remove', id })))
  }

  /** Waits for what is being written, and closes the store. */
  async close(): Promise<void> {
    while (this.#writing !== null) await this.#writing
    await this.#tables.root.close()
  }

  #change(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ changes, resolve, reject })
      this.#writing ??= this.#writeAll()
    })
  }

  async #writeAll(): Promise<void> {
    // The polls of one turn of the event loop.
    await setImmediate()
    while (this.#waiting.length > 0) {
      const group = this.#waiting
      this.#waiting = []
      try {
        await this.#commit(group.flatMap(({ changes }) => changes))
        for (const { resolve } of group) resolve()
      } catch (error) {
        for (const { reject } of group) reject(toUnwritable(error) ?? error)
      }
    }
    this.#writing = null
  }

  /**
   * Runs one transaction. When it fails, the library rejects a promise for each of its writes and another one that
   * carries the reason: all of them are awaited, because an unhandled rejection ends the process.
   */
  async #commit(changes: readonly Change[]): Promise<void> {
    const { root } = this.#tables
    const promises: Promise<unknown>[] = []
    promises.push(
      root.batch(() => {
        for (const change of changes) promises.push(...this.#write(change))
      }),
    )
    const [failure] = (await Promise.allSettled(promises)).filter((result) => result.status === 'rejected')
    if (failure === undefined) return
    await Promise.race([(failure.reason as { commitError?: Promise<unknown> }).commitError, setImmediate()])
    throw failure.reason
  }

  #write(change: Change): Promise<boolean>[] {
    const { filters, positions } = this.#tables
    switch (change.kind) {
      case 'put': {
        const { id, filter, position } = change.row
        return [filters.put(id, encodeFilter(filter)), positions.put(id, encodePosition(position))]
      }
      case 'move':
        return [positions.put(change.id, encodePosition(change.position))]
      case 'remove':
        return [filters.remove(change.id), positions.remove(change.id)]
    }
  }
}
