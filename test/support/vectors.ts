import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readJsonLines, readText } from './jsonLines.ts'

/** The folder of recorded vectors: RHIZOME_VECTORS, else that of the repository. */
export const VECTORS_FOLDER: string =
  process.env['RHIZOME_VECTORS'] ?? fileURLToPath(new URL('../vectors/recorded', import.meta.url))

const ENDINGS = ['', '.zst', '.gz', '.br'] as const

/**
 * Absolute path of a vector file, plain or, where there is none, compressed.
 * @param name below the folder and without what compression adds, e.g. `consensus/unitrie.jsonl`
 * @throws Error when there is no such file
 */
export function vectorPath(name: string): string {
  const path = join(VECTORS_FOLDER, name)
  const ending = ENDINGS.find((ending) => existsSync(path + ending))
  if (ending === undefined) throw new Error(`no vector file ${path}, plain or compressed`)
  return path + ending
}

/**
 * Absolute path of a plain vector file for those who cannot read a compressed one. It is unpacked once for each
 * content, whole or not at all, into a folder of the user's below that of the system for temporary files.
 */
export function unpackedVector(name: string): string {
  const path = vectorPath(name)
  if (path === join(VECTORS_FOLDER, name)) return path
  const hash = createHash('sha256').update(readFileSync(path)).digest('hex')
  const folder = join(tmpdir(), `rhizome-vectors-${userInfo().uid}`, hash)
  const unpacked = join(folder, basename(name))
  if (existsSync(unpacked)) return unpacked
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const partial = `${unpacked}.${process.pid}.${performance.now()}`
  writeFileSync(partial, readText(path))
  renameSync(partial, unpacked)
  return unpacked
}

/** The content of a JSON vector file. */
export function readVectorJson<T>(name: string): T {
  return JSON.parse(readText(vectorPath(name))) as T
}

/** The lines of a `*.jsonl` vector file, one object each. */
export function readVectorLines<T>(name: string): T[] {
  return readJsonLines(vectorPath(name)) as T[]
}
