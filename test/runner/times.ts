import type { FileResult } from './fileResult.ts'

const seconds = (value: number | null) => (value === null ? '?' : value.toFixed(1)).padStart(8)

/** A table of what files took, the most processor time first, with a line for all of them. */
export function formatTimes(results: readonly FileResult[]): string[] {
  const sum = (of: (result: FileResult) => number | null) =>
    results.reduce((total, result) => total + (of(result) ?? 0), 0)
  const line = (wall: number, processor: number | null, name: string) =>
    `${seconds(wall)}${seconds(processor)}  ${name}`
  const slowest = [...results].sort((a, b) => (b.processorSeconds ?? 0) - (a.processorSeconds ?? 0))
  return [
    'seconds: wall, processor',
    ...slowest.map(({ path, wallSeconds, processorSeconds }) => line(wallSeconds, processorSeconds, path)),
    line(
      sum(({ wallSeconds }) => wallSeconds),
      sum(({ processorSeconds }) => processorSeconds),
      `${results.length} files`,
    ),
  ]
}
