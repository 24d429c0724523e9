import type { DirectoryLock as NativeDirectoryLock } from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import { native } from './errors.ts'

/** A data directory that this process has for itself, until it is released or the process ends. */
export type DirectoryLock = NativeDirectoryLock

/**
 * Takes the lock in an existing folder; null when another process has it, or this one.
 * @param forReading takes it also where nothing can be written
 * @throws NativeError `Store` when the file of the lock, `lock` in the folder, cannot be made
 */
export function lockDirectory(folder: string, forReading = false): DirectoryLock | null {
  return native(() => addon.lockDirectory(folder, forReading))
}
