import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of recorded vectors: RHIZOME_VECTORS, else beside the repository. */
export const VECTORS_FOLDER: string =
  process.env['RHIZOME_VECTORS'] ?? fileURLToPath(new URL('../../../shared/vectors', import.meta.url))

/** Absolute path of a vector file, e.g. `consensus/unitrie.jsonl`. */
export function vectorPath(name: string): string {
  return join(VECTORS_FOLDER, name)
}

/** The content of a JSON vector file. */
export function readVectorJson<T>(name: string): T {
  return JSON.parse(readFileSync(vectorPath(name), 'utf8')) as T
}

/** The lines of a `*.jsonl` vector file, one object each. */
export function readVectorLines<T>(name: string): T[] {
  return readFileSync(vectorPath(name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}
