import type { Database, RootDatabase } from 'lmdb'
import type { LmdbCheck } from '../lmdbFile.ts'
import { openLmdb } from '../openLmdb.ts'
import { findStoreDamage } from '../storeFile.ts'
import { AccessError } from './errors.ts'

/** Folder of the access store below the data directory. */
export const ACCESS_FOLDER = 'access'

/** Name of the table with the format of the store. */
export const ACCESS_METADATA = 'metadata'

/** Address space reserved for the store, bytes: the file grows into it and is never mapped again. */
const MAP_BYTES = 4 * 1024 ** 3

const MAX_TABLES = 16

/** A table of the access store. */
export type AccessTable = Database<Buffer, Buffer>

/** The environment of the access store and its tables. */
export interface AccessTables {
  readonly root: RootDatabase<Buffer, Buffer>
  /** name → format, revision of the keys, timezone. */
  readonly metadata: AccessTable
  /** id → key, JSON. See `keyRecord.ts`. */
  readonly keys: AccessTable
  /** id ∥ 0 ∥ day 4 → usage by method, JSON. See `usageRecord.ts`. */
  readonly usage: AccessTable
  /** id → key of a fleet with its version, JSON. See `fleetKey.ts`. */
  readonly fleetKeys: AccessTable
  /** id ∥ 0 ∥ day 4 ∥ life 8 → as `usage`, of other lives. See `lifeUsage.ts`. */
  readonly lives: AccessTable
}

/**
 * Refuses a store whose file is damaged.
 * @param pages as {@link LmdbCheck} has them
 * @throws AccessError `ACCESS_DAMAGED`
 */
export function assertAccessUndamaged(path: string, pages: LmdbCheck['pages']): void {
  const damage = findStoreDamage(path, { pages })
  if (damage === null) return
  throw new AccessError(
    'ACCESS_DAMAGED',
    `the access store is damaged: ${damage}; restore the folder ${path} from a copy, or move it and ` +
      'the file `keyed` beside it away and make the keys again',
  )
}

/** Opens the tables in a folder, creating them if necessary. */
export function openAccessTables(path: string): AccessTables {
  const root = openLmdb<Buffer, Buffer>({
    path,
    maxDbs: MAX_TABLES,
    mapSize: MAP_BYTES,
    keyEncoding: 'binary',
    encoding: 'binary',
    noSubdir: false,
    cache: false,
    // Other processes see a commit only when it is on disk.
    overlappingSync: false,
    // Otherwise the library awaits the writes of each event-loop tick with a promise of its own, whose
    // rejection nobody can handle.
    eventTurnBatching: false,
  })
  const table = (name: string) =>
    root.openDB<Buffer, Buffer>({ name, keyEncoding: 'binary', encoding: 'binary' })
  return {
    root,
    metadata: table(ACCESS_METADATA),
    keys: table('keys'),
    usage: table('usage'),
    fleetKeys: table('fleetKeys'),
    lives: table('lives'),
  }
}
