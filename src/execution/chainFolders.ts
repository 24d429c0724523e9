import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readGenesis } from '../chain/tables/metadata.ts'
import type { ChainEnvironment } from '../storage/chainEnvironment.ts'
import { StorageError } from '../storage/errors.ts'
import type { LmdbCheck } from '../storage/lmdbFile.ts'
import { readRestoreMarker } from '../storage/restoreMarker.ts'
import { findStoreDamage, hasStoreData, isStoreMade, storeFile } from '../storage/storeFile.ts'

/** Folder of the chain store below the data directory. */
export const CHAIN_FOLDER = 'chain'
/** Folder of the state store below the data directory. */
export const STATE_FOLDER = 'state'
/** File of a data directory whose chain is a fork, with the block that it goes on from. */
export const FORK_FILE = 'fork.json'
/** Lock file of the data directory. */
export const LOCK_FILE = 'lock'

/** Folders of the state store and of the chain store, which belong together. */
export type StoreFolders = readonly [state: string, chain: string]

/** The stores of a data directory. */
export function storeFolders(dataDir: string): StoreFolders {
  return [join(dataDir, STATE_FOLDER), join(dataDir, CHAIN_FOLDER)]
}

/** Another process uses the data directory. */
export function inUse(dataDir: string): StorageError {
  return new StorageError('STORAGE_LOCKED', `${dataDir} is in use by another process`)
}

/** A partially restored directory is never opened. @throws StorageError `STORAGE_UNFINISHED` */
export function assertWhole(dataDir: string): void {
  const marker = readRestoreMarker(dataDir)
  if (marker === null) return
  throw new StorageError(
    'STORAGE_UNFINISHED',
    `${dataDir} holds a snapshot that is not wholly restored: finish with rhizome snapshot restore, or delete the directory`,
  )
}

/** A fork is read with its network alone. @throws StorageError `STORAGE_NETWORK` */
export function assertNoFork(dataDir: string): void {
  if (!existsSync(join(dataDir, FORK_FILE))) return
  throw new StorageError(
    'STORAGE_NETWORK',
    `${dataDir} holds a fork of a network, which only \`start --fork-url\` reads`,
  )
}

/**
 * Refuses damaged stores. Reading a missing page would end the process with a signal, and a store without the
 * other is not a new chain. Call it before anything is created.
 * @param pages as {@link LmdbCheck} has them
 * @throws StorageError `STORAGE_CORRUPT`
 */
export function assertReadable(folders: StoreFolders, pages: LmdbCheck['pages']): void {
  const made = folders.find(isStoreMade)
  for (const folder of folders) {
    const damage = findStoreDamage(folder, { pages })
    if (damage !== null) throw damaged(damage)
    if (made !== undefined && !hasStoreData(folder))
      throw damaged(`${storeFile(folder)} is missing, and ${made} is there`)
  }
}

/**
 * Refuses an empty store where stores were created.
 * @throws StorageError `STORAGE_CORRUPT`
 */
export function assertNotEmptied(environment: ChainEnvironment, folders: StoreFolders): void {
  const made = folders.find(isStoreMade)
  if (made === undefined || readGenesis(environment) !== undefined) return
  throw damaged(`${storeFile(folders[1])} holds no chain, and ${made} is there`)
}

function damaged(what: string): StorageError {
  return new StorageError('STORAGE_CORRUPT', `a store is damaged: ${what}`)
}
