import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../util/makeFolder.ts'

/** Mode of folders that are the node's own. */
const PRIVATE_FOLDER = 0o700
/** Mode of files in them. */
const PRIVATE_FILE = 0o600
/** Bits of everybody but the owner. */
const OTHERS = 0o077

/** Makes a folder, with those above it, that nobody else may look into. One that is there stays as it is. */
export function makePrivateFolder(path: string): void {
  makeFolder(path, PRIVATE_FOLDER)
}

/**
 * Takes everybody else's rights on folders and files away, where they belong to this user. What is not there is left
 * out.
 */
export function restrictModes(paths: readonly string[]): void {
  for (const path of paths) {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined || (stats.mode & OTHERS) === 0 || stats.uid !== process.geteuid?.()) continue
    chmodSync(path, stats.isDirectory() ? PRIVATE_FOLDER : PRIVATE_FILE)
  }
}

/** Those on which others have rights. */
export function findExposed(paths: readonly string[]): string[] {
  return paths.filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0)
}

/** A folder of a store and the files in it. */
export function storePaths(folder: string): string[] {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  return [folder, ...files.map(({ name }) => join(folder, name))]
}
