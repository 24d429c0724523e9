import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Moves the files of a folder into another one of the same file system, over those that have their names. Each is
 * there at any time, whole, as it was or as it is now: a process that has the old addon mapped keeps it.
 * @param {string} from
 * @param {string} to
 */
export function replaceFiles(from, to) {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) renameSync(join(from, name), join(to, name))
}
