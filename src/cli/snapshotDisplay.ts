import type { Logger } from '../observe/logger.ts'
import type { TextOutput } from '../observe/logOutput.ts'
import type { SnapshotProgress } from '../snapshot/snapshotProgress.ts'
import { formatSeconds } from './importDisplay.ts'

const LOG_INTERVAL = 10_000
const LINE_INTERVAL = 100
const MEBIBYTE = 1024 * 1024

/** Display of the progress of a snapshot. */
export interface SnapshotDisplay {
  update(progress: SnapshotProgress): void
  end(): void
}

/** A line on a terminal, a log line per interval elsewhere. */
export function createSnapshotDisplay(
  output: TextOutput,
  logger: Logger,
  now: () => number = Date.now,
): SnapshotDisplay {
  const start = now()
  const terminal = output.isTTY === true
  let shown = start
  return {
    update(progress) {
      const time = now()
      if (time - shown < (terminal ? LINE_INTERVAL : LOG_INTERVAL)) return
      shown = time
      const text = formatProgress(progress, time - start)
      if (terminal) output.write(`\r\u001b[2K${text}`)
      else logger.info(text)
    },
    end() {
      if (terminal) output.write('\r\u001b[2K')
    },
  }
}

/** One line: progress, rate, and the time left if it is known. */
export function formatProgress(
  { phase, items, bytes, fraction }: SnapshotProgress,
  milliseconds: number,
): string {
  const seconds = Math.max(milliseconds, 1) / 1000
  const what = phase === 'state' ? `${items} trie nodes` : `${items} blocks`
  const part = fraction === null ? '' : `${Math.floor(fraction * 100)} %  `
  const left =
    fraction === null || fraction === 0
      ? ''
      : `  ${formatSeconds((seconds * (1 - fraction)) / fraction)} left`
  return `${part}${what}  ${formatRate(bytes, milliseconds)}${left}`
}

/** `12.3 MiB/s`. */
export function formatRate(bytes: number, milliseconds: number): string {
  return `${(bytes / MEBIBYTE / (Math.max(milliseconds, 1) / 1000)).toFixed(1)} MiB/s`
}
