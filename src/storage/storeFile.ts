import { closeSync, existsSync, fsyncSync, openSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkLmdbFile, type LmdbCheck } from './lmdbFile.ts'

/** Name of an LMDB environment's data in its folder. */
const DATA_FILE = 'data.mdb'
/** Beside it: the store was made, so that one without data is no new one. */
const MADE_FILE = 'made'

/**
 * What is wrong with the file of a store, which is named in it; null when nothing is, or the store was never made.
 * To be asked before the environment is opened.
 * @param folder of an LMDB environment
 */
export function findStoreDamage(folder: string, check: LmdbCheck): string | null {
  const path = join(folder, DATA_FILE)
  const size = existsSync(path) ? statSync(path).size : null
  if (size === null || size === 0) {
    if (!existsSync(join(folder, MADE_FILE))) return null
    return `${path} is ${size === null ? 'missing' : 'empty'}`
  }
  const damage = checkLmdbFile(path, check)
  return damage === null ? null : `${path}: ${damage}`
}

/** Notes that a store was made: from now on one without data is damaged. What it holds is made durable first. */
export function noteStoreMade(folder: string): void {
  const path = join(folder, MADE_FILE)
  if (existsSync(path)) return
  flush(join(folder, DATA_FILE))
  writeFileSync(path, '', { mode: 0o600 })
  flush(folder)
}

function flush(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
