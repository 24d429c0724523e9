import { statSync } from 'node:fs'
import { join } from 'node:path'
import { CHAIN_FOLDER, STATE_FOLDER } from '../execution/chainFolders.ts'
import { StateStore } from '../native/stateStore.ts'
import type { StoreOptions } from '../native/types.ts'
import {
  ACCESS_FORMATS,
  ACCESS_STEPS,
  convertAccess,
  readAccessFormat,
} from '../storage/access/accessFormat.ts'
import { ACCESS_FOLDER } from '../storage/access/accessTables.ts'
import { CHAIN_FORMATS, CHAIN_STEPS, convertChain, readChainFormat } from '../storage/formats/chainFormat.ts'
import { type ConversionOptions, conversionBytes } from '../storage/formats/conversion.ts'
import { assertUndamaged } from '../storage/formats/readStoreFormat.ts'
import type { StoreFormat, SupportedFormats } from '../storage/formats/storeFormat.ts'
import { convertRecordLog, readRecordLogFormat } from '../storage/recordLogFormat.ts'
import {
  RESTORE_MARKER_FORMATS,
  readRestoreMarker,
  readRestoreMarkerFormat,
  writeRestoreMarker,
} from '../storage/restoreMarker.ts'
import { POOL_JOURNAL_FORMATS, POOL_JOURNAL_STEPS } from '../txpool/poolJournal.ts'
import { POOL_JOURNAL } from './chainThread/storeCommits.ts'

/** The kind that a store or file was found to be. */
export interface FoundStore {
  readonly format: StoreFormat
  /** Bytes of disk that its conversion takes. */
  readonly spaceBytes: number
}

/** A store or file of a data directory whose format may be an older one. */
export interface DataDirStore {
  readonly supported: SupportedFormats
  /** Its present kind; null where there is none. Writes nothing. */
  find(): Promise<FoundStore | null>
  /** Brings it to the present format, or goes on with that. */
  convert(options: ConversionOptions): Promise<void>
}

/**
 * Every store and file of a data directory that has a format, in the order in which they are converted: builds
 * before the conversions look at the chain store first, and refuse the directory from then on.
 */
export function dataDirStores(dataDir: string, storeOptions: StoreOptions = {}): readonly DataDirStore[] {
  const chain = join(dataDir, CHAIN_FOLDER)
  const access = join(dataDir, ACCESS_FOLDER)
  const { mapBytes } = storeOptions
  return [
    {
      supported: CHAIN_FORMATS,
      find: async () => {
        const stored = await readChainFormat(chain)
        if (stored === null) return null
        const { found, fileBytes } = stored
        return { format: found, spaceBytes: conversionBytes(CHAIN_STEPS, baseOf(found), fileBytes) }
      },
      convert: (options) =>
        convertChain(chain, { ...options, ...(mapBytes === undefined ? {} : { limitBytes: mapBytes }) }),
    },
    stateStore(join(dataDir, STATE_FOLDER), storeOptions),
    poolJournal(join(dataDir, POOL_JOURNAL)),
    {
      supported: ACCESS_FORMATS,
      find: async () => {
        const stored = await readAccessFormat(access)
        if (stored === null) return null
        const { found, fileBytes } = stored
        return { format: found, spaceBytes: conversionBytes(ACCESS_STEPS, baseOf(found), fileBytes) }
      },
      convert: (options) => convertAccess(access, options),
    },
    restoreMarker(dataDir),
  ]
}

/** The format from which a conversion has to go on. */
function baseOf(found: StoreFormat & { readonly conversion: { readonly from: number } | null }): number {
  return found.conversion?.from ?? found.format
}

/** Converted by the native core when it is opened for writing. */
function stateStore(folder: string, storeOptions: StoreOptions): DataDirStore {
  assertUndamaged(folder)
  const found = StateStore.format(folder)
  const current = found?.current ?? 0
  return {
    // What it converts from is the core's own matter, which refuses the rest.
    supported: { name: 'the state store', current, oldest: 0 },
    find: async () => {
      if (found === null) return null
      const { format, program, converting } = found
      const due = converting || format < current
      return {
        format: { format, program: program ?? null, converting },
        // A conversion may write all of it anew.
        spaceBytes: due ? statSync(join(folder, 'data.mdb')).size : 0,
      }
    },
    convert: async () => {
      StateStore.open(folder, storeOptions).close()
    },
  }
}

function poolJournal(path: string): DataDirStore {
  return {
    supported: POOL_JOURNAL_FORMATS,
    find: async () => {
      const log = readRecordLogFormat(path, POOL_JOURNAL_FORMATS)
      return log === null ? null : { format: log.found, spaceBytes: 2 * statSync(path).size }
    },
    convert: async ({ onProgress }) => {
      const from = readRecordLogFormat(path, POOL_JOURNAL_FORMATS)?.found.format ?? 1
      convertRecordLog(path, POOL_JOURNAL_FORMATS, POOL_JOURNAL_STEPS)
      onProgress?.({ from, to: POOL_JOURNAL_FORMATS.current, done: 1, rows: 1 })
    },
  }
}

function restoreMarker(dataDir: string): DataDirStore {
  return {
    supported: RESTORE_MARKER_FORMATS,
    find: async () => {
      const format = readRestoreMarkerFormat(dataDir)
      return format === null ? null : { format, spaceBytes: 4096 }
    },
    convert: async ({ onProgress }) => {
      const snapshot = readRestoreMarker(dataDir)
      if (snapshot === null) return
      writeRestoreMarker(dataDir, snapshot)
      onProgress?.({ from: 1, to: RESTORE_MARKER_FORMATS.current, done: 1, rows: 1 })
    },
  }
}
