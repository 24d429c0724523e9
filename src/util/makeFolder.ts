import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder, with those above it. One that is there stays as it is. `mkdir` of Node.js with `recursive` never ends
 * where the system says that the folder above is missing and it is not, as below `/proc`.
 * @param mode of each folder that is made, before the mask of the process
 * @throws the error of the system
 */
export function makeFolder(path: string, mode = 0o777): void {
  const failure = attempt(path, mode)
  if (failure === null) return
  const parent = dirname(path)
  if (failure.code !== 'ENOENT' || parent === path || isFolder(parent)) throw failure
  makeFolder(parent, mode)
  const last = attempt(path, mode)
  if (last !== null) throw last
}

/** @returns why there is no folder afterwards */
function attempt(path: string, mode: number): NodeJS.ErrnoException | null {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (!isFolder(path)) return error as NodeJS.ErrnoException
  }
  return null
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
