import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Machine, machineText } from '../../../bench/report/machine.ts'
import { RESULTS_FOLDER } from '../../../bench/report/results.ts'

/** What is kept of a part of a run: text by column. */
export type ResultRow = Readonly<Record<string, string>>

/** Tables of the results, in their order. */
export const TABLES = {
  honest: 'Honest nodes',
  attacks: 'Under attack',
  off: 'With a defence switched off',
} as const

interface Kept {
  readonly machine: string
  readonly row: ResultRow
}

type Results = Record<keyof typeof TABLES, Record<string, Kept>>

const MAX_CHARACTERS = 300
const FILE = join(RESULTS_FOLDER, 'network')
const NOTE =
  'By `npm run network -- --save`, which keeps each row with the machine and the load that it was taken under. ' +
  'Speeds are those of turns of one run: two quiet ones before and after the one under attack, the node on a core ' +
  'of its own; where others use the machine, the share by processor time says more. Memory is the own memory of the process (RssAnon), beside that of the quiet turns.'

/** Keeps a row, in the place of an earlier one of the name. */
export function saveRow(machine: Machine, table: keyof typeof TABLES, name: string, row: ResultRow): void {
  mkdirSync(RESULTS_FOLDER, { recursive: true })
  const results: Results = existsSync(`${FILE}.json`)
    ? (JSON.parse(readFileSync(`${FILE}.json`, 'utf8')) as Results)
    : { honest: {}, attacks: {}, off: {} }
  results[table][name] = { machine: machineText(machine), row }
  saveAll(results)
}

/** Writes the tables. */
export function saveAll(results: Results): void {
  writeFileSync(`${FILE}.json`, `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(`${FILE}.md`, text(results))
}

function text(results: Results): string {
  const machines: string[] = []
  const tables = (Object.keys(TABLES) as (keyof typeof TABLES)[]).flatMap((table) => {
    const rows = Object.entries(results[table])
    if (rows.length === 0) return []
    const columns = [...new Set(rows.flatMap(([, { row }]) => Object.keys(row)))]
    const lines = rows.map(([name, { machine, row }]) => {
      if (!machines.includes(machine)) machines.push(machine)
      return [name, ...columns.map((column) => row[column] ?? ''), `(${machines.indexOf(machine) + 1})`]
    })
    return [`## ${TABLES[table]}`, formatted(['', ...columns, 'run'], lines)]
  })
  const runs = machines.map((machine, at) => `${at + 1}. ${machine}`).join('\n')
  return `${['# network', NOTE, ...tables, '## Runs', runs].join('\n\n')}\n`
}

function formatted(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) => `| ${cells.map(cellOf).join(' | ')} |`
  return [row(head), row(head.map(() => '---')), ...lines.map(row)].join('\n')
}

/** A cell of one line; what a program printed may be long. */
function cellOf(value: string): string {
  const line = value.replace(/\s+/g, ' ').replaceAll('|', '\\|')
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS)} …`
}
