import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { StorageError } from './errors.ts'

const LOCK_FILE = 'lock'

/** Data directories that this process holds. */
const held = new Set<string>()

/**
 * Makes this process the one that writes a data directory. A lock whose process is gone is taken over, so
 * that a killed node does not block the next one.
 * @returns what gives the directory free again
 * @throws StorageError `STORAGE_LOCKED` when another process has it
 */
export function lockDataDir(dataDir: string): () => void {
  const path = join(resolve(dataDir), LOCK_FILE)
  mkdirSync(dataDir, { recursive: true })
  if (held.has(path)) throw new StorageError('STORAGE_LOCKED', `${dataDir} is in use by this process`)
  while (!createLock(path)) {
    const owner = Number(readOwner(path))
    if (isAlive(owner)) throw new StorageError('STORAGE_LOCKED', `${dataDir} is in use by process ${owner}`)
    rmSync(path, { force: true })
  }
  held.add(path)
  return () => {
    held.delete(path)
    rmSync(path, { force: true })
  }
}

function createLock(path: string): boolean {
  try {
    const file = openSync(path, 'wx')
    writeSync(file, String(process.pid))
    closeSync(file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function readOwner(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** In a container every process may have the same id: one's own is a leftover of an earlier life. */
function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
