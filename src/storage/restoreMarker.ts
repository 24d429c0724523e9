import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { programVersion } from '../util/programVersion.ts'
import { flushToDisk, writeDurably } from './durableFile.ts'
import type { DataDirStore } from './formats/dataDirStore.ts'
import { assertConvertible, type StoreFormat, type SupportedFormats } from './formats/storeFormat.ts'

/** File in a data directory into which a snapshot is being restored. */
const MARKER_FILE = 'restoring'

/** Formats of the marker. Format 1 is the name of the snapshot alone; both are read. */
const RESTORE_MARKER_FORMATS: SupportedFormats = {
  name: 'the marker of a restore',
  current: 2,
  oldest: 1,
}

interface Marker extends StoreFormat {
  readonly snapshot: string
}

/**
 * Name of the snapshot whose restore into a data directory is unfinished; null when there is none.
 * @throws StorageError `STORAGE_NEWER` for a marker of a newer build
 */
export function readRestoreMarker(dataDir: string): string | null {
  const marker = readMarker(dataDir)
  if (marker === null) return null
  assertConvertible(RESTORE_MARKER_FORMATS, marker)
  return marker.snapshot
}

/** The marker of a data directory, as it is converted. */
export function restoreMarkerStore(dataDir: string): DataDirStore {
  return {
    supported: RESTORE_MARKER_FORMATS,
    find: async () => {
      const format: StoreFormat | null = readMarker(dataDir)
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

function readMarker(dataDir: string): Marker | null {
  let text: string
  try {
    text = readFileSync(join(dataDir, MARKER_FILE), 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  if (!text.startsWith('{')) return { format: 1, program: null, converting: false, snapshot: text }
  const { format, program, snapshot } = JSON.parse(text) as {
    format: number
    program: string
    snapshot: string
  }
  return { format, program, converting: false, snapshot }
}

/** Records durably that a restore begins. */
export function writeRestoreMarker(dataDir: string, snapshot: string): void {
  const marker = { format: RESTORE_MARKER_FORMATS.current, program: programVersion(), snapshot }
  writeDurably(join(dataDir, MARKER_FILE), `${JSON.stringify(marker)}\n`)
}

/** Records durably that it has ended. */
export function removeRestoreMarker(dataDir: string): void {
  rmSync(join(dataDir, MARKER_FILE), { force: true })
  flushToDisk(dataDir)
}
