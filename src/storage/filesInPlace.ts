import { statSync } from 'node:fs'
import { StorageError } from './errors.ts'

/** The identity that tells a file from another one under its name. */
interface Identity {
  readonly device: bigint
  readonly inode: bigint
  readonly bytes: bigint
}

/**
 * The files that a process has open, as they stand in their folder. What is written to a file that was removed or
 * replaced is gone with the process, and no write tells: that has to be looked for.
 */
export class FilesInPlace {
  readonly #known: Map<string, Identity>
  readonly #named: readonly string[]

  /**
   * @param kept files that stay the same, and never become shorter, while the process runs
   * @param named files that must be there and may be replaced
   */
  constructor(kept: readonly string[], named: readonly string[]) {
    this.#known = new Map(kept.map((path) => [path, identify(path)]))
    this.#named = named
  }

  /** @throws StorageError `STORAGE_UNWRITABLE` that names the file which is not what it was */
  assert(): void {
    for (const [path, known] of this.#known) {
      const present = identify(path)
      if (present.inode !== known.inode || present.device !== known.device) throw lost(path, 'was replaced')
      if (present.bytes < known.bytes)
        throw lost(path, `was cut from ${known.bytes} bytes to ${present.bytes}`)
      if (present.bytes > known.bytes) this.#known.set(path, present)
    }
    for (const path of this.#named) identify(path)
  }
}

function identify(path: string): Identity {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (stats === undefined) throw lost(path, 'was removed')
  return { device: stats.dev, inode: stats.ino, bytes: stats.size }
}

function lost(path: string, what: string): StorageError {
  return new StorageError(
    'STORAGE_UNWRITABLE',
    `the store cannot be written: ${path} ${what} while the node runs; what is written now would be lost`,
  )
}
