import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { flushToDisk } from '../durableFile.ts'
import { hasStoreData, storeFile } from '../storeFile.ts'
import { ACCESS_FOLDER } from './accessTables.ts'
import { AccessError } from './errors.ts'

/** File in a data directory whose access store has keys. It lies outside of the folder of that store. */
const KEYED_FILE = 'keyed'

/**
 * Why the access store of a data directory must not be created anew: there were keys, and a node without them
 * would admit everybody. Null when nothing is missing.
 */
export function findLostKeys(dataDir: string): string | null {
  const marker = join(dataDir, KEYED_FILE)
  const folder = join(dataDir, ACCESS_FOLDER)
  if (!existsSync(marker) || hasStoreData(folder)) return null
  return (
    `the access store is damaged: ${storeFile(folder)} is missing, and ${marker} says that there were API keys; ` +
    `restore the folder ${folder} from a copy, or delete ${marker} to begin without keys`
  )
}

/** Call it before an access store is created. @throws AccessError `ACCESS_DAMAGED` */
export function assertKeysThere(dataDir: string): void {
  const lost = findLostKeys(dataDir)
  if (lost !== null) throw new AccessError('ACCESS_DAMAGED', lost)
}

/** Records durably that the access store of a data directory has keys. */
export function recordKeys(dataDir: string): void {
  const marker = join(dataDir, KEYED_FILE)
  if (existsSync(marker)) return
  writeFileSync(marker, '', { mode: 0o600 })
  flushToDisk(dataDir)
}

/** Records durably that it has no keys any more. */
export function recordNoKeys(dataDir: string): void {
  const marker = join(dataDir, KEYED_FILE)
  if (!existsSync(marker)) return
  rmSync(marker, { force: true })
  flushToDisk(dataDir)
}
