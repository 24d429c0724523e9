import { join } from 'node:path'
import { asBuffer } from '../../util/bytes.ts'
import { type ConversionOptions, type ConversionStep, convertStore } from '../formats/conversion.ts'
import type { DataDirStore } from '../formats/dataDirStore.ts'
import type { FormatTable } from '../formats/formatTable.ts'
import { foundStore, readStoreFormat, type StoredFormat } from '../formats/readStoreFormat.ts'
import type { SupportedFormats } from '../formats/storeFormat.ts'
import {
  ACCESS_FOLDER,
  ACCESS_METADATA,
  type AccessTables,
  assertAccessUndamaged,
  openAccessTables,
} from './accessTables.ts'

/** Formats of the tables of the access store and their values. */
export const ACCESS_FORMATS: SupportedFormats = { name: 'the access store', current: 2, oldest: 1 }

/** Every conversion of the access store, oldest first. */
export const ACCESS_STEPS: readonly ConversionStep<AccessTables>[] = [
  {
    from: 1,
    to: 2,
    summary: 'the store names the version that wrote it',
    spaceBytes: () => 64 * 1024,
    rows: () => 1,
    // Only the format record changes.
    convert: () => ({ rows: 1, last: null }),
  },
]

/** Key of the format in the access store. */
export function accessFormatTable({ metadata }: Pick<AccessTables, 'metadata'>): FormatTable {
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

/**
 * Format of the access store in a folder; null where there is none.
 * @throws AccessError `ACCESS_DAMAGED`
 */
export async function readAccessFormat(folder: string): Promise<StoredFormat | null> {
  assertAccessUndamaged(folder, 'none')
  return readStoreFormat(folder, ACCESS_METADATA)
}

/** The access store of a data directory, as it is converted. */
export function accessDataStore(dataDir: string): DataDirStore {
  const folder = join(dataDir, ACCESS_FOLDER)
  return {
    supported: ACCESS_FORMATS,
    find: async () => foundStore(await readAccessFormat(folder), ACCESS_STEPS),
    convert: (options) => convertAccess(folder, options),
  }
}

/**
 * Brings the access store in a folder to the present format. No other process may have it open.
 * @throws StorageError; the signal's reason
 */
export async function convertAccess(folder: string, options: ConversionOptions = {}): Promise<void> {
  const tables = openAccessTables(folder)
  try {
    await convertStore(
      {
        supported: ACCESS_FORMATS,
        transaction: (action) => tables.root.transactionSync(() => action(tables)),
        formatTable: accessFormatTable,
        flushed: () => tables.root.flushed,
      },
      ACCESS_STEPS,
      options,
    )
  } finally {
    await tables.root.close()
  }
}
