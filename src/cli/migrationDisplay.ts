import type { MigrationProgress } from '../node/migrateDataDir.ts'
import type { Logger } from '../observe/logger.ts'
import type { TextOutput } from '../observe/logOutput.ts'
import { formatSeconds } from './importDisplay.ts'

/** Interval of log lines of a conversion without a terminal, milliseconds. */
const LOG_INTERVAL = 10_000
/** Interval of updates of the bar, milliseconds. */
const BAR_INTERVAL = 100
const BAR_WIDTH = 24

/** Display of the progress of the conversion of a data directory. */
export interface MigrationDisplay {
  update(progress: MigrationProgress): void
  /** Ends the line of the bar. */
  end(): void
}

/** A bar on a terminal, a log line per interval elsewhere. */
export function createMigrationDisplay(
  output: TextOutput,
  logger: Logger,
  now: () => number = Date.now,
): MigrationDisplay {
  const terminal = output.isTTY === true
  const interval = terminal ? BAR_INTERVAL : LOG_INTERVAL
  let shown = now()
  /** The displayed conversion, when it began, and the rows it had by then. */
  let current = { name: '', start: 0, done: 0 }
  return {
    update(progress) {
      const time = now()
      const name = `${progress.store} ${progress.to}`
      if (current.name !== name) current = { name, start: time, done: progress.done }
      if (time - shown < interval) return
      shown = time
      const seconds = (time - current.start) / 1000
      const rate = seconds === 0 ? 0 : (progress.done - current.done) / seconds
      const secondsLeft = rate === 0 ? null : Math.max(0, progress.rows - progress.done) / rate
      if (terminal) output.write(`\r\u001b[2K${formatMigrationBar(progress, secondsLeft)}`)
      else logger.info(logFields(progress, secondsLeft), `converting ${progress.store}`)
    },
    end() {
      if (terminal) output.write('\r\u001b[2K')
    },
  }
}

/** One line with a bar, the conversion, its rows, and the time left if it is known. */
export function formatMigrationBar(progress: MigrationProgress, secondsLeft: number | null): string {
  const { store, from, to, done, rows } = progress
  const fraction = fractionOf(progress)
  const filled = Math.round(fraction * BAR_WIDTH)
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled)
  const left = secondsLeft === null ? '–' : formatSeconds(secondsLeft)
  return `${bar} ${Math.floor(fraction * 100)} %  ${store}: format ${from} to ${to}, ${done} of ${rows} rows  ${left} left`
}

function logFields(progress: MigrationProgress, secondsLeft: number | null) {
  const { from, to, done, rows } = progress
  return {
    from,
    to,
    done,
    rows,
    percent: Math.floor(fractionOf(progress) * 100),
    ...(secondsLeft === null ? {} : { secondsLeft: Math.ceil(secondsLeft) }),
  }
}

function fractionOf({ done, rows }: MigrationProgress): number {
  return rows === 0 ? 1 : Math.min(1, done / rows)
}
