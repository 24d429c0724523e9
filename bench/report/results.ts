import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Machine, machineText } from './machine.ts'

/** Folder of results. */
export const RESULTS_FOLDER: string = fileURLToPath(new URL('../results/', import.meta.url))

/** Folder of what can be made again: generated chains, stores. */
export const WORK_FOLDER: string = `${RESULTS_FOLDER}tmp/`

/** A row of a table: column name to value. */
export type Row = Readonly<Record<string, string | number>>

/** Prints a table and keeps it as `NAME.json` and `NAME.md` in the results. */
export function saveResults(name: string, machine: Machine, rows: readonly Row[], detail: unknown): void {
  const text = `# bench ${name}\n\n${machineText(machine)}\n\n${formatTable(rows)}\n`
  mkdirSync(RESULTS_FOLDER, { recursive: true })
  writeFileSync(`${RESULTS_FOLDER}${name}.json`, `${JSON.stringify({ machine, rows, detail }, null, 2)}\n`)
  writeFileSync(`${RESULTS_FOLDER}${name}.md`, text)
  console.log(text)
}

/** Rows as a Markdown table. Columns are those of the first row. */
export function formatTable(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const lines = [
    columns,
    columns.map(() => '---'),
    ...rows.map((row) => columns.map((column) => formatCell(row[column]))),
  ]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function formatCell(value: string | number | undefined): string {
  if (typeof value !== 'number') return value ?? ''
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US')
  return value.toPrecision(3)
}
