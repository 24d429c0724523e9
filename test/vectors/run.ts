import { readdirSync, statSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import { streamJsonLines } from '../support/jsonLines.ts'
import { Comparison } from './comparison.ts'
import { kindOf, type OtherKind, type VectorKind } from './kinds.ts'

/** Outcome of one vector file. */
export interface FileResult {
  /** Path below the folder that was given. */
  readonly name: string
  readonly comparison: Comparison
  /** Why nothing was compared; null for a file that was compared or that is of no known kind. */
  readonly leftAlone: string | null
}

/** A file and its kind; undefined for one that no kind knows. */
export interface FoundFile {
  readonly file: string
  /** Path below the folder that was given. */
  readonly name: string
  readonly kind: VectorKind | OtherKind | undefined
}

/**
 * Runs every vector file below the folders (or the named files themselves), in the order of their names. A file of
 * no known kind is a difference.
 * @param report called after each file
 */
export async function runVectors(
  paths: readonly string[],
  report: (result: FileResult) => void = () => {},
): Promise<FileResult[]> {
  const results: FileResult[] = []
  for (const path of paths) {
    for (const found of findVectorFiles(path)) {
      const result = await runFile(found)
      results.push(result)
      report(result)
    }
  }
  return results
}

/** Files below a folder, or the file itself, with the kind of each; without those that describe vectors. */
export function findVectorFiles(path: string): FoundFile[] {
  const files = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true, encoding: 'utf8' })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
    : [path]
  return files.flatMap((file) => {
    const name = relative(path, file).split(sep).join('/') || basename(file)
    const kind = kindOf(resolve(file).split(sep).join('/'))
    return kind === 'about' ? [] : [{ file, name, kind }]
  })
}

/** `N files: N equal, N different`, and how many files were left alone for which reason. */
export function formatTotal(results: readonly FileResult[]): string {
  const compared = results.filter(({ leftAlone }) => leftAlone === null)
  const equal = compared.reduce((sum, { comparison }) => sum + comparison.equal, 0)
  const reasons = new Map<string, number>()
  for (const { leftAlone } of results) {
    if (leftAlone !== null) reasons.set(leftAlone, (reasons.get(leftAlone) ?? 0) + 1)
  }
  return [
    `${compared.length} files: ${equal} equal, ${countDifferent(results)} different`,
    ...[...reasons].map(([reason, files]) => `${files} files ${reason}`),
  ].join('; ')
}

/** Cases that differ, unknown files among them. */
export function countDifferent(results: readonly FileResult[]): number {
  return results.reduce((sum, { comparison }) => sum + comparison.different, 0)
}

async function runFile({ file, name, kind }: FoundFile): Promise<FileResult> {
  const comparison = new Comparison()
  if (kind !== undefined && 'reason' in kind) return { name, comparison, leftAlone: kind.reason }
  await comparison.fileCase(async () => {
    if (kind === undefined) throw new Error('a file of no known kind')
    await kind.compare({ path: file, lines: () => streamJsonLines(file) }, comparison)
  })
  return { name, comparison, leftAlone: null }
}

/** `name: N equal, M different`, then the first differences with both values; `name: reason` for a file left alone. */
export function formatResult({ name, comparison, leftAlone }: FileResult): string {
  if (leftAlone !== null) return `${name}: ${leftAlone}`
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

/** Characters of a value that are printed: enough to see where two encodings part. */
const PRINTED_LENGTH = 400

function shorten(text: string): string {
  return text.length <= PRINTED_LENGTH
    ? text
    : `${text.slice(0, PRINTED_LENGTH)}… (${text.length} characters)`
}
