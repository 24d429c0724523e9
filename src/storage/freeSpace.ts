import { closeSync, fsyncSync, ftruncateSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Free space needed before writes resume, bytes: a large block with its state. */
const NEEDED_BYTES = 4 * 1024 * 1024
const FILE = 'room'

/**
 * Tests whether the disk of a folder takes some blocks, by writing as much and removing it.
 * @throws Error of the system when it does not
 */
export function assertFreeSpace(folder: string): void {
  const path = join(folder, FILE)
  const file = openSync(path, 'w', 0o600)
  try {
    for (let written = 0; written < NEEDED_BYTES; ) {
      written += writeSync(file, Buffer.alloc(NEEDED_BYTES - written))
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
    rmSync(path, { force: true })
  }
}

/** True when a file may be longer than it is: tried with another one beside it, which takes no space. */
export function mayGrow(path: string): boolean {
  const probe = join(dirname(path), FILE)
  let file: number | null = null
  try {
    const { size } = statSync(path)
    file = openSync(probe, 'w', 0o600)
    ftruncateSync(file, size + NEEDED_BYTES)
    return true
  } catch {
    return false
  } finally {
    if (file !== null) {
      closeSync(file)
      rmSync(probe, { force: true })
    }
  }
}
