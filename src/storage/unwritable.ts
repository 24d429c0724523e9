import { NativeError } from '../native/errors.ts'
import { StorageError } from './errors.ts'

/** What the system says when a write fails for want of room or by a fault of the disk, by number (Linux errno). */
const SYSTEM_REASONS: Readonly<Record<number, string>> = {
  // LMDB says this, too, when only a part of a page was taken.
  5: 'the disk is full or fails (EIO)',
  27: 'the file may not grow (EFBIG)',
  28: 'the disk is full (ENOSPC)',
  30: 'the file system was made read-only (EROFS)',
  122: 'the disk quota is used up (EDQUOT)',
}

/** LMDB's own number for a map that is full. */
export const MAP_FULL = -30792
const MAP_FULL_REASON = 'the store has reached its largest size: raise --store-limit'

/**
 * LMDB's word for an environment in which the note of a commit could not be written: it is of no use any more. The
 * numbers with it differ from one call of lmdb-js to another.
 */
const PANIC = 'MDB_PANIC'

const SYSTEM_NUMBER = /\(os error (\d+)\)/

/**
 * What a failed write threw, as a {@link StorageError} `STORAGE_UNWRITABLE` when the reason may pass; null when it
 * is something else.
 */
export function toUnwritable(thrown: unknown): StorageError | null {
  if (thrown instanceof StorageError) return thrown.code === 'STORAGE_UNWRITABLE' ? thrown : null
  const reason = reasonOf(thrown)
  if (reason === undefined) return null
  return new StorageError('STORAGE_UNWRITABLE', `the store cannot be written: ${reason}`, { cause: thrown })
}

/**
 * Whether a store neither reads nor writes any more in this process, because the disk failed where a commit is noted.
 * The commit did not take place; another process finds the store as it was before.
 */
export function isBroken(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.includes(PANIC)
}

function reasonOf(thrown: unknown): string | undefined {
  if (thrown instanceof NativeError) {
    if (thrown.code !== 'Store') return undefined
    if (thrown.message.includes('MDB_MAP_FULL')) return MAP_FULL_REASON
    return SYSTEM_REASONS[Number(SYSTEM_NUMBER.exec(thrown.message)?.[1])]
  }
  // lmdb-js gives LMDB's and the system's numbers, node:fs the negative ones of the latter.
  const { code, errno } = (thrown ?? {}) as { code?: unknown; errno?: unknown }
  if (code === MAP_FULL) return MAP_FULL_REASON
  const number = typeof code === 'number' ? code : typeof errno === 'number' ? -errno : Number.NaN
  return SYSTEM_REASONS[number]
}
