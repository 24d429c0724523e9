import type { ImportProgress } from '../chain/import/importBlocks.ts'
import type { Logger } from '../observe/logger.ts'
import type { TextOutput } from '../observe/logOutput.ts'

/** Interval of log lines of an import without a terminal, milliseconds. */
const LOG_INTERVAL = 10_000
/** Interval of updates of the bar, milliseconds. */
const BAR_INTERVAL = 100
const BAR_WIDTH = 24

/** Speed and remaining time of an import. */
export interface ImportPace {
  readonly blocksPerSecond: number
  /** Million gas per second. */
  readonly megagasPerSecond: number
  /** Completed fraction of the file, 0 to 1. */
  readonly fraction: number
  /** Seconds; null while unknown. */
  readonly remaining: number | null
}

/** Pace of an import after some milliseconds. */
export function paceOf(progress: ImportProgress, milliseconds: number): ImportPace {
  const seconds = Math.max(milliseconds, 1) / 1000
  const fraction = progress.bytes === 0 ? 0 : Math.min(1, progress.offset / progress.bytes)
  return {
    blocksPerSecond: progress.connected / seconds,
    megagasPerSecond: Number(progress.gas) / 1e6 / seconds,
    fraction,
    remaining: fraction === 0 ? null : (seconds * (1 - fraction)) / fraction,
  }
}

/** One line with a bar, blocks and gas per second and the time left. */
export function formatBar(progress: ImportProgress, pace: ImportPace): string {
  const filled = Math.round(pace.fraction * BAR_WIDTH)
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled)
  const percent = `${Math.floor(pace.fraction * 100)} %`
  const left = pace.remaining === null ? '–' : formatSeconds(pace.remaining)
  return `${bar} ${percent}  block ${progress.head}  ${formatPace(pace)}  ${left} left`
}

/** `123 blocks/s, 4.5 Mgas/s`. */
export function formatPace(pace: ImportPace): string {
  return `${pace.blocksPerSecond.toFixed(0)} blocks/s, ${pace.megagasPerSecond.toFixed(1)} Mgas/s`
}

/** Formats hours, minutes and seconds, as far as needed. */
export function formatSeconds(seconds: number): string {
  const whole = Math.ceil(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`
}

/** Display of the progress of an import. */
export interface ImportDisplay {
  update(progress: ImportProgress): void
  /** Ends the line of the bar. */
  end(): void
}

/** A bar on a terminal, a log line per interval elsewhere. */
export function createImportDisplay(
  output: TextOutput,
  logger: Logger,
  now: () => number = Date.now,
): ImportDisplay {
  const start = now()
  const terminal = output.isTTY === true
  const interval = terminal ? BAR_INTERVAL : LOG_INTERVAL
  let shown = start
  return {
    update(progress) {
      const time = now()
      if (time - shown < interval) return
      shown = time
      const pace = paceOf(progress, time - start)
      if (terminal) output.write(`\r\u001b[2K${formatBar(progress, pace)}`)
      else logger.info(logFields(progress, pace), 'importing')
    },
    end() {
      if (terminal) output.write('\r\u001b[2K')
    },
  }
}

function logFields(progress: ImportProgress, pace: ImportPace): Record<string, number> {
  return {
    head: progress.head,
    blocks: progress.connected,
    blocksPerSecond: Math.round(pace.blocksPerSecond),
    megagasPerSecond: Math.round(pace.megagasPerSecond * 10) / 10,
    percent: Math.floor(pace.fraction * 100),
    secondsLeft: Math.ceil(pace.remaining ?? 0),
  }
}
