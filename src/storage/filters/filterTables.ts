import type { Database, RootDatabase } from 'lmdb'
import { asBuffer } from '../../util/bytes.ts'
import type { FormatTable } from '../formats/formatTable.ts'
import { openLmdb } from '../openLmdb.ts'

/** Folder of the filter store below the data directory. */
export const FILTERS_FOLDER = 'filters'

/** Name of the table with the format of the store. */
export const FILTERS_METADATA = 'metadata'

/** Address space reserved for the store, bytes: the file grows into it and is never mapped again. */
const MAP_BYTES = 4 * 1024 ** 3
const MAXIMUM_TABLES = 4

/** A table of the filter store. */
export type FilterTable = Database<Buffer, Buffer>

/** The environment of the filter store and its tables. */
export interface FilterTables {
  readonly root: RootDatabase<Buffer, Buffer>
  readonly metadata: FilterTable
  /** id 16 → what it tells of, JSON. See `filterRecord.ts`. */
  readonly filters: FilterTable
  /** id 16 → up to where it was told. See `filterRecord.ts`. */
  readonly positions: FilterTable
}

/** Opens the tables in a folder, creating them if necessary. */
export function openFilterTables(path: string): FilterTables {
  const root = openLmdb<Buffer, Buffer>({
    path,
    maxDbs: MAXIMUM_TABLES,
    mapSize: MAP_BYTES,
    keyEncoding: 'binary',
    encoding: 'binary',
    noSubdir: false,
    cache: false,
    // A position is on disk before the answer is sent.
    overlappingSync: false,
    // As in the access store: nobody could handle the rejections of the library's own promises.
    eventTurnBatching: false,
  })
  const table = (name: string) =>
    root.openDB<Buffer, Buffer>({ name, keyEncoding: 'binary', encoding: 'binary' })
  return { root, metadata: table(FILTERS_METADATA), filters: table('filters'), positions: table('positions') }
}

/** Key of the format in the filter store. */
export function filterFormatTable({ metadata }: Pick<FilterTables, 'metadata'>): FormatTable {
  return {
    get: (key) => {
      const value = metadata.get(key)
      return value === undefined ? undefined : asBuffer(value)
    },
    put: (key, value) => metadata.putSync(key, value),
    remove: (key) => {
      metadata.removeSync(key)
    },
  }
}
