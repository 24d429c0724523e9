/** A cell of the table of clean systems. */
export interface Row {
  readonly system: string
  readonly node: string
  /** What was run. */
  readonly command: string
  readonly passed: boolean
  readonly outcome: string
  /** Seconds of the whole cell, which CI pays. */
  readonly seconds: number
  /** Seconds from the start of the node to its first answer; null where none came. */
  readonly firstAnswer: number | null
  /** Bytes of what the command leaves in the folder; null where that was not measured. */
  readonly bytes: number | null
}

const time = (seconds: number) =>
  seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
const size = (bytes: number | null) => (bytes === null ? '' : `${Math.round(bytes / 1e6)} MB`)

/** The table in Markdown, one line for each cell. */
export function table(rows: readonly Row[]): string {
  const head = ['system', 'Node.js', 'command', 'outcome', 'time', 'first answer', 'size']
  const lines = rows.map((row) => [
    row.system,
    row.node,
    row.command === '' ? '' : `\`${row.command}\``,
    row.passed ? row.outcome : `**failed**: ${row.outcome}`,
    time(row.seconds),
    row.firstAnswer === null ? '' : time(row.firstAnswer),
    size(row.bytes),
  ])
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
