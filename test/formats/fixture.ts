import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { ROOT } from '../support/sources.ts'

const FOLDER = join(ROOT, 'test/formats')
const ENDING = '.br'
/** Locks, and LMDB's tables of readers: they belong to the process that had the directory. */
const LEFT_OUT = /(^|\/)(lock|lock\.mdb|room)$/

/** Names of the fixtures: each is a folder of `test/formats`. */
export function fixtureNames(): string[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

/** Writes the files of a fixture below a folder. */
export function unpackFixture(name: string, target: string): void {
  const source = join(FOLDER, name)
  for (const path of filesOf(source)) {
    const file = join(target, path.slice(0, -ENDING.length))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, brotliDecompressSync(readFileSync(join(source, path))), { mode: 0o600 })
  }
}

/** Makes a fixture of the files below a folder. */
export function packFixture(source: string, name: string): void {
  for (const path of filesOf(source).filter((path) => !LEFT_OUT.test(path))) {
    const file = join(FOLDER, name, `${path}${ENDING}`)
    mkdirSync(dirname(file), { recursive: true })
    const bytes = readFileSync(join(source, path))
    const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS }
    writeFileSync(file, brotliCompressSync(bytes, { params }))
  }
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}
