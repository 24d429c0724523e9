import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Machine, machineText } from './machine.ts'

/** Folder of results. */
export const RESULTS_FOLDER: string = fileURLToPath(new URL('../results/', import.meta.url))

/** Folder of reproducible files: generated chains, stores. */
export const WORK_FOLDER: string = `${RESULTS_FOLDER}tmp/`

/** A row of a table: column name to value. */
export type Row = Readonly<Record<string, string | number>>

/** A part of a result: a table, a plot, or both. */
export interface Section {
  readonly title: string
  /** Explanation. */
  readonly note?: string
  readonly rows: readonly Row[]
  /** SVG document, stored as a file of its own. */
  readonly plot?: { readonly name: string; readonly svg: string }
}

/** Prints a table and stores it as `NAME.json` and `NAME.md` in the results. */
export function saveResults(name: string, machine: Machine, rows: readonly Row[], detail: unknown): void {
  saveSections(name, machine, [{ title: '', rows }], detail)
}

/**
 * Prints tables and stores them as `NAME.json` and `NAME.md` in the results, plots as `NAME-PLOT.svg` beside
 * them.
 */
export function saveSections(
  name: string,
  machine: Machine,
  sections: readonly Section[],
  detail: unknown,
): void {
  mkdirSync(RESULTS_FOLDER, { recursive: true })
  const parts = sections.map(({ title, note, rows, plot }) => {
    const lines = [title === '' ? '' : `## ${title}`, note ?? '', rows.length === 0 ? '' : formatTable(rows)]
    if (plot !== undefined) {
      const file = `${name}-${plot.name}.svg`
      writeFileSync(`${RESULTS_FOLDER}${file}`, plot.svg)
      lines.push(`![${title}](${file})`)
    }
    return lines.filter((line) => line !== '').join('\n\n')
  })
  const text = `# bench ${name}\n\n${machineText(machine)}\n\n${parts.join('\n\n')}\n`
  const tables = sections.length === 1 ? { rows: sections[0]?.rows } : { sections: tablesOf(sections) }
  writeFileSync(
    `${RESULTS_FOLDER}${name}.json`,
    `${JSON.stringify({ machine, ...tables, detail }, null, 2)}\n`,
  )
  writeFileSync(`${RESULTS_FOLDER}${name}.md`, text)
  console.log(text)
}

function tablesOf(sections: readonly Section[]): Record<string, readonly Row[]> {
  return Object.fromEntries(sections.map(({ title, rows }) => [title, rows]))
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
