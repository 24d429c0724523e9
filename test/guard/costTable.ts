import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/sources.ts'
import type { Bytes, Cost } from './counting.ts'

/** What one request costs: calls by name, and bytes in optimised code. */
export type RequestCost = Cost & Bytes

/** What light requests cost, by the name of the row. */
export type Costs = Readonly<Record<string, RequestCost>>

/** What they may cost under one line of Node.js, in the repository. */
export interface CostTable {
  /** Why the last change was right. */
  readonly reason: string
  readonly rows: Costs
}

/** More than this part above the table is a fault. */
const TOLERANCE = 0.03
/** Bytes of a request below which nothing is said: less than the smallest object. */
const MIN_BYTES = 8

type Sum = (cost: RequestCost) => number

const SUMS: readonly (readonly [name: string, sum: Sum, least: number])[] = [
  ['functions called', ({ functions }) => sumOf(functions), 0],
  ['calls into the socket library', ({ library }) => sumOf(library), 0],
  ['calls into the native core', ({ addon }) => sumOf(addon), 0],
  ['bytes of the heap', ({ heap }) => heap, MIN_BYTES],
  ['bytes of ArrayBuffers', ({ buffers }) => buffers, MIN_BYTES],
]

/** Its file, for the line of Node.js that runs. */
export function tablePath(version: string = process.versions.node): string {
  return `test/guard/counts.node${version.split('.', 1)[0]}.json`
}

/** The table; null where there is none for this line of Node.js. */
export function readTable(): CostTable | null {
  const path = join(ROOT, tablePath())
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as CostTable) : null
}

/** Writes the table of this line. */
export function writeTable(table: CostTable): void {
  writeFileSync(join(ROOT, tablePath()), `${JSON.stringify(table, null, 2)}\n`)
}

/**
 * What costs more than the table says, with the files and functions that make the difference, and rows that only one of
 * both has.
 */
export function findMore(table: Costs, now: Costs): string[] {
  return [...new Set([...Object.keys(table), ...Object.keys(now)])].flatMap((row) => {
    const [before, after] = [table[row], now[row]]
    if (after === undefined) return [`${row}: is no longer counted`]
    if (before === undefined) return [`${row}: is not in the table`]
    const over = SUMS.filter(([, sum, least]) => isMore(sum(before), sum(after), least))
    if (over.length === 0) return []
    const sums = over.map(([name, sum]) => `${format(sum(after))} ${name}, not ${format(sum(before))}`)
    const details = ([before.functions, before.library, before.addon] as const).flatMap((calls, place) =>
      differences(calls, [after.functions, after.library, after.addon][place] ?? {}),
    )
    return [`${row}: ${[...sums, ...details].join('; ')}`]
  })
}

/** What costs less than the table says by as much as would be a fault the other way. */
export function findLess(table: Costs, now: Costs): string[] {
  return Object.keys(now).filter((row) => {
    const [before, after] = [table[row], now[row]]
    if (before === undefined || after === undefined) return false
    return SUMS.some(([, sum, least]) => isMore(sum(after), sum(before), least))
  })
}

/** One line for each row. */
export function formatCosts(costs: Costs): string {
  const lines = Object.entries(costs).map(([row, cost]) => {
    const sums = SUMS.map(([, sum]) => format(sum(cost)).padStart(9)).join('')
    return `${row.padEnd(52)}${sums}`
  })
  const head = ['functions', 'library', 'core', 'heap B', 'buffers B'].map((name) => name.padStart(9))
  return [' '.repeat(52) + head.join(''), ...lines].join('\n')
}

function isMore(before: number, after: number, least: number): boolean {
  return after > before * (1 + TOLERANCE) && after - before >= least
}

function differences(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): string[] {
  return Object.keys({ ...before, ...after })
    .filter((name) => (after[name] ?? 0) > (before[name] ?? 0))
    .map((name) => `${name} ${format(before[name] ?? 0)} → ${format(after[name] ?? 0)}`)
}

function sumOf(calls: Readonly<Record<string, number>>): number {
  return Object.values(calls).reduce((sum, count) => sum + count, 0)
}

function format(value: number): string {
  return String(Math.round(value * 100) / 100)
}
