import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import { Comparison } from './comparison.ts'
import { kindOf, type VectorKind } from './kinds.ts'

/** Outcome of one vector file. */
export interface FileResult {
  /** Path below the folder that was given. */
  readonly name: string
  readonly comparison: Comparison
}

/**
 * Runs every vector file of the known kinds below the folders (or the named files themselves), in the
 * order of their names.
 * @param report called after each file
 */
export async function runVectors(
  paths: readonly string[],
  report: (result: FileResult) => void = () => {},
): Promise<FileResult[]> {
  const results: FileResult[] = []
  for (const path of paths) {
    for (const { file, name, kind } of findVectorFiles(path)) {
      const comparison = new Comparison()
      await compareFile(file, kind, comparison)
      const result = { name, comparison }
      results.push(result)
      report(result)
    }
  }
  return results
}

/** Vector files below a folder, or the file itself, with the kind of each. */
export function findVectorFiles(path: string): { file: string; name: string; kind: VectorKind }[] {
  const files = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: 'utf8' })
        .sort()
        .map((name) => join(path, name))
    : [path]
  return files.flatMap((file) => {
    const name = relative(path, file).split(sep).join('/') || basename(file)
    const kind = kindOf(resolve(file).split(sep).join('/'))
    return kind === undefined ? [] : [{ file, name, kind }]
  })
}

/** `name: N equal, M different`, then the first differences with both values. */
export function formatResult({ name, comparison }: FileResult): string {
  const lines = [`${name}: ${comparison.equal} equal, ${comparison.different} different`]
  for (const difference of comparison.differences) {
    lines.push(
      `  ${difference.name}: ${difference.what}`,
      `    expected ${shorten(difference.expected)}`,
      `    found    ${shorten(difference.found)}`,
    )
  }
  return lines.join('\n')
}

async function compareFile(file: string, kind: VectorKind, comparison: Comparison): Promise<void> {
  await comparison.fileCase(async () => {
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown)
    await kind.compare({ path: file, lines }, comparison)
  })
}

/** Characters of a value that are printed: enough to see where two encodings part. */
const PRINTED_LENGTH = 400

function shorten(text: string): string {
  return text.length <= PRINTED_LENGTH
    ? text
    : `${text.slice(0, PRINTED_LENGTH)}… (${text.length} characters)`
}
