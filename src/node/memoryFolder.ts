import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { lockDirectory } from '../native/directoryLock.ts'
import { NodeError } from './errors.ts'

/** The file system in memory of Linux. */
const MEMORY = '/dev/shm'
const PREFIX = 'rhizome-chain-'
/** Milliseconds after which the file of a lock is locked by whoever made it. */
const LOCKED_MILLISECONDS = 1000

/** A data directory in memory. */
export interface MemoryFolder {
  readonly path: string
  /** Removes it with all that is in it. */
  remove(): void
}

/**
 * Makes an empty data directory in memory, and removes those of processes that were killed.
 * @throws NodeError `DATA_DIR_UNUSABLE` where this machine has no such file system
 */
export function openMemoryFolder(): MemoryFolder {
  if (!isWritable(MEMORY))
    throw new NodeError(
      'DATA_DIR_UNUSABLE',
      `there is no ${MEMORY} that can be written: leave --in-memory out`,
    )
  removeLeft()
  const path = mkdtempSync(join(MEMORY, PREFIX))
  const clean = () => rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  // A second Ctrl-C ends the process at once.
  process.once('exit', clean)
  return {
    path,
    remove: () => {
      process.off('exit', clean)
      clean()
    },
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** A folder whose lock nobody has is one of a process that had no time to remove it. */
function removeLeft(): void {
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith(PREFIX)) continue
    const path = join(MEMORY, name)
    try {
      // One without a lock, or with one that was just made, is about to be used.
      const { mtimeMs } = statSync(join(path, 'lock'))
      const lock = mtimeMs < Date.now() - LOCKED_MILLISECONDS ? lockDirectory(path) : null
      if (lock === null) continue
      rmSync(path, { recursive: true, force: true })
      lock.release()
    } catch {
      // It has no lock yet, or is of another user.
    }
  }
}
