import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { flushToDisk } from './durableFile.ts'
import { checkLmdbFile, type LmdbCheck } from './lmdbFile.ts'

/** Name of the data file of an LMDB environment. */
const DATA_FILE = 'data.mdb'
/** Marker file beside it: the store was created, so that one without data is not a new one. */
const MADE_FILE = 'made'

/**
 * What is wrong with the file of a store, named in the message; null when nothing is, or the store was never
 * created. Call it before the environment is opened.
 * @param folder of an LMDB environment
 */
export function findStoreDamage(folder: string, check: LmdbCheck): string | null {
  const path = join(folder, DATA_FILE)
  const size = existsSync(path) ? statSync(path).size : null
  if (size === null || size === 0) {
    if (!isStoreMade(folder)) return null
    return `${path} is ${size === null ? 'missing' : 'empty'}`
  }
  const damage = checkLmdbFile(path, check)
  return damage === null ? null : `${path}: ${damage}`
}

/**
 * Records that stores were created that belong together: from now on one without data is damaged. Their
 * contents are made durable first.
 */
export function recordStoresCreated(folders: readonly string[]): void {
  const withoutMarker = folders.filter((folder) => !isStoreMade(folder))
  for (const folder of withoutMarker) flushToDisk(join(folder, DATA_FILE))
  for (const folder of withoutMarker) {
    writeFileSync(join(folder, MADE_FILE), '', { mode: 0o600 })
    flushToDisk(folder)
  }
}

/** True when the creation of the store in a folder, and of those that belong to it, was recorded. */
export function isStoreMade(folder: string): boolean {
  return existsSync(join(folder, MADE_FILE))
}

/** True when the store in a folder has a file that is not empty. */
export function hasStoreData(folder: string): boolean {
  return (statSync(storeFile(folder), { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** The file of the store in a folder. */
export function storeFile(folder: string): string {
  return join(folder, DATA_FILE)
}
