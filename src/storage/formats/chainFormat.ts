import { ChainEnvironment, type TableWriter } from '../chainEnvironment.ts'
import { TABLES } from '../tables.ts'
import { type ConversionOptions, type ConversionStep, convertStore } from './conversion.ts'
import type { DataDirStore } from './dataDirStore.ts'
import type { FormatTable } from './formatTable.ts'
import { assertUndamaged, foundStore, readStoreFormat, type StoredFormat } from './readStoreFormat.ts'
import type { SupportedFormats } from './storeFormat.ts'

/** Formats of the tables of the chain store and their values. */
export const CHAIN_FORMATS: SupportedFormats = { name: 'the chain store', current: 5, oldest: 3 }

/** Every conversion of the chain store, oldest first. */
export const CHAIN_STEPS: readonly ConversionStep<TableWriter>[] = [
  {
    from: 3,
    to: 4,
    summary: 'the store names the version that wrote it',
    spaceBytes: () => 64 * 1024,
    rows: () => 1,
    // The record of the format is all that changes.
    convert: () => ({ rows: 1, last: null }),
  },
  {
    from: 4,
    to: 5,
    summary: 'blocks may lack receipts: the kept history says from where on they are there',
    spaceBytes: () => 64 * 1024,
    rows: () => 1,
    // Where nothing is said every kept block has them. Builds before would answer null for those that lack them.
    convert: () => ({ rows: 1, last: null }),
  },
]

/** Table of the format in the chain store. */
export function chainFormatTable(writer: TableWriter): FormatTable {
  return {
    get: (key) => writer.get('metadata', key),
    put: (key, value) => writer.put('metadata', key, value),
    remove: (key) => writer.remove('metadata', key),
  }
}

/** Format of the chain store in a folder; null where there is none, or one that was never wholly made. */
export async function readChainFormat(folder: string): Promise<StoredFormat | null> {
  assertUndamaged(folder)
  return readStoreFormat(folder, `${TABLES.metadata}`)
}

/**
 * The chain store in a folder, as it is converted.
 * @param limitBytes largest size of the file; the default's where it is absent
 */
export function chainDataStore(folder: string, limitBytes?: number): DataDirStore {
  return {
    supported: CHAIN_FORMATS,
    find: async () => foundStore(await readChainFormat(folder), CHAIN_STEPS),
    convert: (options) =>
      convertChain(folder, { ...options, ...(limitBytes === undefined ? {} : { limitBytes }) }),
  }
}

/**
 * Brings the chain store in a folder to the present format.
 * @throws StorageError; the signal's reason
 */
export async function convertChain(
  folder: string,
  options: ConversionOptions & {
    readonly steps?: readonly ConversionStep<TableWriter>[]
    readonly supported?: SupportedFormats
    /** Largest size of the file. */
    readonly limitBytes?: number
  } = {},
): Promise<void> {
  const { steps = CHAIN_STEPS, supported = CHAIN_FORMATS, limitBytes } = options
  const environment = new ChainEnvironment(folder, limitBytes === undefined ? {} : { limitBytes })
  try {
    await convertStore(
      {
        supported,
        transaction: (action) => environment.transaction(action),
        formatTable: chainFormatTable,
        flushed: () => environment.flushed(),
      },
      steps,
      options,
    )
  } finally {
    await environment.flushed()
    await environment.close()
  }
}
