import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const PRIVATE_FILE = 0o600

/** Writes a file that nobody else may read, in place of one that is there: after a crash it is the old one or the new one. */
export function writeDurably(path: string, content: string | Buffer): void {
  const temporary = `${path}.new`
  writeFileSync(temporary, content, { mode: PRIVATE_FILE, flush: true })
  renameSync(temporary, path)
  flushToDisk(dirname(path))
}

/** Has what was written to a file, or made or removed in a folder, outlive a crash. */
export function flushToDisk(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
