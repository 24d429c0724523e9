import { statSync } from 'node:fs'
import { join } from 'node:path'
import { storeFolders } from '../execution/chainFolders.ts'
import { StateStore } from '../native/stateStore.ts'
import type { StoreOptions } from '../native/types.ts'
import { accessDataStore } from '../storage/access/accessFormat.ts'
import { chainDataStore } from '../storage/formats/chainFormat.ts'
import type { DataDirStore } from '../storage/formats/dataDirStore.ts'
import { assertUndamaged } from '../storage/formats/readStoreFormat.ts'
import { restoreMarkerStore } from '../storage/restoreMarker.ts'
import { poolJournalStore } from '../txpool/poolJournal.ts'
import { POOL_JOURNAL } from './chainThread/storeCommits.ts'

/**
 * Every store and file of a data directory that has a format, in the order in which they are converted: builds
 * before the conversions look at the chain store first, and refuse the directory from then on.
 */
export function dataDirStores(dataDir: string, storeOptions: StoreOptions = {}): readonly DataDirStore[] {
  const [state, chain] = storeFolders(dataDir)
  return [
    chainDataStore(chain, storeOptions.mapBytes),
    stateStore(state, storeOptions),
    poolJournalStore(join(dataDir, POOL_JOURNAL)),
    accessDataStore(dataDir),
    restoreMarkerStore(dataDir),
  ]
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
