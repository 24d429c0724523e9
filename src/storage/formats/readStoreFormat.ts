import { statSync } from 'node:fs'
import { join } from 'node:path'
import { asBuffer } from '../../util/bytes.ts'
import { StorageError } from '../errors.ts'
import { makeLockFile } from '../lockFile.ts'
import { openLmdb } from '../openLmdb.ts'
import { findStoreDamage } from '../storeFile.ts'
import { type ConversionStep, conversionBytes } from './conversion.ts'
import type { FoundStore } from './dataDirStore.ts'
import { type FoundFormat, readFormat } from './formatTable.ts'

const BINARY = { keyEncoding: 'binary', encoding: 'binary' } as const

/** Refuses a store that no other process writes and whose file is damaged. @throws StorageError `STORAGE_CORRUPT` */
export function assertUndamaged(folder: string): void {
  const damage = findStoreDamage(folder, { pages: 'quick' })
  if (damage !== null) throw new StorageError('STORAGE_CORRUPT', `a store is damaged: ${damage}`)
}

/** Format of an LMDB store and the size of its file in bytes. */
export interface StoredFormat {
  readonly found: FoundFormat
  readonly fileBytes: number
}

/**
 * Reads the format of an LMDB store without writing anything, whatever its format is; null where there is no store,
 * or one without a format. A damaged file would end the process: it is looked for before.
 * @param table name of the table in which the format stands
 */
export async function readStoreFormat(folder: string, table: string): Promise<StoredFormat | null> {
  const file = statSync(join(folder, 'data.mdb'), { throwIfNoEntry: false })
  if (file === undefined || file.size === 0) return null
  makeLockFile(folder)
  const root = openLmdb({ path: folder, readOnly: true, noSubdir: false, cache: false, ...BINARY })
  try {
    // Undefined in an environment that is read and has no such table, which the types do not show.
    const metadata = root.openDB<Buffer, Buffer>({ name: table, ...BINARY }) as
      | ReturnType<typeof root.openDB<Buffer, Buffer>>
      | undefined
    if (metadata === undefined) return null
    const found = readFormat({
      get: (key) => {
        const value = metadata.get(key)
        return value === undefined ? undefined : Buffer.from(asBuffer(value))
      },
    })
    return found === null ? null : { found, fileBytes: file.size }
  } finally {
    await root.close()
  }
}

/** A store with what its conversion takes; null where there is none. */
export function foundStore<T>(
  stored: StoredFormat | null,
  steps: readonly ConversionStep<T>[],
): FoundStore | null {
  if (stored === null) return null
  const { found, fileBytes } = stored
  // A conversion that was begun goes on from where it was.
  const from = found.conversion?.from ?? found.format
  return { format: found, spaceBytes: conversionBytes(steps, from, fileBytes) }
}
