import { existsSync, statfsSync } from 'node:fs'
import { lockDirectory } from '../native/directoryLock.ts'
import { StorageError } from '../storage/errors.ts'
import type { ConversionProgress } from '../storage/formats/conversion.ts'
import type { DataDirStore } from '../storage/formats/dataDirStore.ts'
import { assertConvertible, isPresent } from '../storage/formats/storeFormat.ts'

/** Bytes that are left free beside what conversions take: a large block with its state. */
const SPARE_BYTES = 16 * 1024 * 1024

/** Progress of the conversion of a data directory. */
export interface MigrationProgress extends ConversionProgress {
  /** Name of the store with its article. */
  readonly store: string
}

export interface MigrationOptions {
  readonly dataDir: string
  /** Its stores and files, in the order in which they are converted; asked for once the directory is locked. */
  readonly stores: () => readonly DataDirStore[]
  readonly onProgress?: (progress: MigrationProgress) => void
  /** Ends it between two batches; the next one goes on there. */
  readonly signal?: AbortSignal
  /** Bytes that the disk has free; asked of the system unless said. */
  readonly freeBytes?: () => number
}

/** A store that was converted. */
export interface ConvertedStore {
  readonly store: string
  readonly from: number
  readonly to: number
}

/**
 * Brings every store and file of a data directory to the formats of this build, in place. Nothing is written before
 * all of them are known to be convertible and to fit on the disk. What ends the process at any instant loses nothing: the
 * next call goes on.
 * @returns what was converted; nothing for a directory that is new or up to date
 * @throws StorageError `STORAGE_LOCKED` while another process has the directory, `STORAGE_NEWER` and `STORAGE_FORMAT`
 * for what this build does not read, `STORAGE_UNWRITABLE` without space; NativeError; the signal's reason
 */
export async function migrateDataDir(options: MigrationOptions): Promise<readonly ConvertedStore[]> {
  const { dataDir } = options
  if (!existsSync(dataDir)) return []
  const lock = lockDirectory(dataDir)
  if (lock === null) throw new StorageError('STORAGE_LOCKED', `${dataDir} is in use by another process`)
  try {
    return await migrateLocked(options)
  } finally {
    lock.release()
  }
}

async function migrateLocked(options: MigrationOptions): Promise<readonly ConvertedStore[]> {
  const { dataDir, stores, onProgress, signal } = options
  const due: { readonly store: DataDirStore; readonly from: number }[] = []
  let needed = SPARE_BYTES
  for (const store of stores()) {
    const found = await store.find()
    if (found === null) continue
    assertConvertible(store.supported, found.format)
    if (isPresent(store.supported, found.format)) continue
    due.push({ store, from: found.format.format })
    needed += found.spaceBytes
  }
  if (due.length === 0) return []
  assertSpace(dataDir, needed, options.freeBytes?.() ?? freeBytes(dataDir))
  const converted: ConvertedStore[] = []
  for (const { store, from } of due) {
    signal?.throwIfAborted()
    const { name, current } = store.supported
    let first: number | null = null
    await store.convert({
      onProgress: (progress) => {
        first ??= progress.from
        onProgress?.({ store: name, ...progress })
      },
      ...(signal === undefined ? {} : { signal }),
    })
    converted.push({ store: name, from: first ?? from, to: current })
  }
  return converted
}

function assertSpace(dataDir: string, needed: number, free: number): void {
  if (free >= needed) return
  const mebibytes = (bytes: number) => Math.ceil(bytes / 1024 / 1024)
  throw new StorageError(
    'STORAGE_UNWRITABLE',
    `${dataDir} has ${mebibytes(free)} MiB free, the conversion of its stores takes ${mebibytes(needed)} MiB`,
  )
}

function freeBytes(dataDir: string): number {
  const { bavail, bsize } = statfsSync(dataDir)
  return bavail * bsize
}
