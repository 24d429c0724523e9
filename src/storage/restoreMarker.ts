import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** File in a data directory into which a snapshot is being restored. */
const MARKER_FILE = 'restoring'

/** Name of the snapshot whose restore into a data directory has begun and not ended; null when there is none. */
export function readRestoreMarker(dataDir: string): string | null {
  try {
    return readFileSync(join(dataDir, MARKER_FILE), 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Notes, durably, that a restore begins. */
export function writeRestoreMarker(dataDir: string, snapshot: string): void {
  const path = join(dataDir, MARKER_FILE)
  const temporary = `${path}.tmp`
  const file = openSync(temporary, 'w')
  try {
    writeSync(file, `${snapshot}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  syncFolder(dataDir)
}

/** Notes, durably, that it has ended. */
export function removeRestoreMarker(dataDir: string): void {
  rmSync(join(dataDir, MARKER_FILE), { force: true })
  syncFolder(dataDir)
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
