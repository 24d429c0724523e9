import { NativeError } from '../native/errors.ts'
import { StorageError } from './errors.ts'
import { mayGrow } from './freeSpace.ts'

/** Linux error number of a write at an offset where the file may not have any. */
const FILE_TOO_LARGE = 27

/** Linux error numbers of writes that fail because the disk is full or faulty. */
const SYSTEM_REASONS: Readonly<Record<number, string>> = {
  // LMDB also reports this when only part of a page was written.
  5: 'the disk is full or fails (EIO)',
  [FILE_TOO_LARGE]: 'the file may not grow (EFBIG)',
  28: 'the disk is full (ENOSPC)',
  30: 'the file system was made read-only (EROFS)',
  122: 'the disk quota is used up (EDQUOT)',
}

/** LMDB's error number for a full map. */
export const MAP_FULL = -30792
const MAP_FULL_REASON = 'the store has reached its largest size: raise --store-limit'

/**
 * LMDB's message for an environment whose commit record could not be written: it is unusable. The
 * accompanying numbers differ from call to call of lmdb-js.
 */
const PANIC = 'MDB_PANIC'

const SYSTEM_NUMBER = /\(os error (\d+)\)/

/**
 * Converts what a failed write threw to a {@link StorageError} `STORAGE_UNWRITABLE` when the reason may be
 * temporary; null otherwise.
 */
export function toUnwritable(thrown: unknown): StorageError | null {
  if (thrown instanceof StorageError) return thrown.code === 'STORAGE_UNWRITABLE' ? thrown : null
  const reason = reasonOf(thrown)
  if (reason === undefined) return null
  return new StorageError('STORAGE_UNWRITABLE', `the store cannot be written: ${reason}`, { cause: thrown })
}

/**
 * Whether a store is unusable in this process, because the disk failed while a commit was recorded. The
 * commit did not happen; another process finds the store as it was before.
 */
export function isBroken(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.includes(PANIC)
}

/**
 * Whether a write failed because of where it was to go, and not for want of space: LMDB takes the numbers of pages from
 * the pages that it reads, and a damaged one names an offset that no file has.
 * @param fault as {@link toUnwritable} gives it
 * @param files of the stores, one of which was written
 */
export function isMisplaced(fault: StorageError, files: readonly string[]): boolean {
  return systemNumber(fault.cause) === FILE_TOO_LARGE && files.every(mayGrow)
}

function reasonOf(thrown: unknown): string | undefined {
  if (thrown instanceof NativeError) {
    if (thrown.code !== 'Store') return undefined
    if (thrown.message.includes('MDB_MAP_FULL')) return MAP_FULL_REASON
  } else if ((thrown as { code?: unknown } | null)?.code === MAP_FULL) return MAP_FULL_REASON
  return SYSTEM_REASONS[systemNumber(thrown)]
}

/** The number of the system's error; NaN where there is none. */
function systemNumber(thrown: unknown): number {
  if (thrown instanceof NativeError) return Number(SYSTEM_NUMBER.exec(thrown.message)?.[1])
  // lmdb-js reports the numbers of LMDB and of the system, node:fs the negative ones of the system.
  const { code, errno } = (thrown ?? {}) as { code?: unknown; errno?: unknown }
  if (typeof code === 'number') return code
  return typeof errno === 'number' ? -errno : Number.NaN
}
