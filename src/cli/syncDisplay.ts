import type { Logger } from '../observe/logger.ts'
import type { TextOutput } from '../observe/logOutput.ts'
import type { SnapshotStats, SyncStats } from '../sync/client/syncStats.ts'
import { formatSeconds } from './importDisplay.ts'

/** Interval of log lines of a synchronisation without a terminal, milliseconds. */
const LOG_INTERVAL = 30_000
const BAR_WIDTH = 24
/** Least number of missing blocks for which synchronisation is displayed. */
const WORTH_SHOWING = 24

/** Display of the progress of synchronisation in `start`. */
export interface SyncDisplay {
  /** @param peers number of connected peers */
  update(stats: SyncStats, peers: number): void
  /** Removes the bar. */
  end(): void
}

/**
 * A bar on a terminal, a log line per interval elsewhere; both print a line when the tip is reached. The
 * cursor stays at the start of the bar, so that log lines of other threads overwrite it.
 * @param now milliseconds, steady
 */
export function createSyncDisplay(output: TextOutput, logger: Logger, now: () => number): SyncDisplay {
  const terminal = output.isTTY === true
  let began: { readonly at: number; readonly block: number } | null = null
  let logged: number | null = null
  const clear = () => {
    if (terminal && began !== null) output.write('\r\u001b[2K')
  }
  return {
    update(stats, peers) {
      const { syncing, currentBlock, highestBlock } = stats
      const time = now()
      if (!syncing) {
        clear()
        // Without peers, or while halted, the tip was not reached.
        if (began !== null && stats.stage === 'following') {
          const seconds = Math.round((time - began.at) / 1000)
          logger.info(
            { block: currentBlock, blocks: currentBlock - began.block, seconds },
            'caught up with peers',
          )
        }
        began = null
        logged = null
        return
      }
      if (began === null && highestBlock - currentBlock < WORTH_SHOWING) return
      began ??= { at: time, block: currentBlock }
      if (terminal) {
        output.write(`\r\u001b[2K${formatSyncBar(stats, peers)}\r`)
        return
      }
      if (logged !== null && time - logged < LOG_INTERVAL) return
      logged = time
      logger.info(logFields(stats, peers), 'synchronising')
    },
    end: clear,
  }
}

/** One line with a bar of the blocks, their rate and the time left; of headers while those are checked. */
export function formatSyncBar(stats: SyncStats, peers: number): string {
  if (stats.snapshot !== undefined) return formatSnapshotBar(stats, stats.snapshot, peers)
  const { stage, currentBlock, highestBlock, checkedHeader, headersPerSecond, blocksPerSecond } = stats
  const fraction = highestBlock === 0 ? 0 : Math.min(1, currentBlock / highestBlock)
  const work =
    stage === 'headers'
      ? `headers to ${checkedHeader}, ${headersPerSecond.toFixed(0)} headers/s`
      : `${blocksPerSecond.toFixed(0)} blocks/s  ${timeLeft(stats)} left`
  return `${barOf(fraction)}  block ${currentBlock} of ${highestBlock}  ${work}  ${peers} peers`
}

/** The same for a snapshot: a bar for each of its stages, because their durations are not comparable. */
function formatSnapshotBar(
  { stage, checkedHeader, highestBlock, headersPerSecond, blocksPerSecond }: SyncStats,
  { block, stateBytes, stateSize, blocksLeft, reason }: SnapshotStats,
  peers: number,
): string {
  const mebibytes = (bytes: number) => Math.floor(bytes / 1024 / 1024)
  if (reason !== null) return `snapshot: ${reason}  ${peers} peers`
  if (stage === 'state')
    return `${barOf(stateBytes / Math.max(1, stateSize))}  snapshot of block ${block}: state, ${mebibytes(stateBytes)} of ${mebibytes(stateSize)} MiB  ${peers} peers`
  if (stage === 'blocks')
    return `snapshot of block ${block}: ${blocksLeft} blocks left, ${blocksPerSecond.toFixed(0)} blocks/s  ${peers} peers`
  return `${barOf(checkedHeader / Math.max(1, highestBlock))}  snapshot: header ${checkedHeader} of ${highestBlock}, ${headersPerSecond.toFixed(0)} headers/s  ${peers} peers`
}

function barOf(fraction: number): string {
  const share = Math.min(1, fraction)
  const filled = Math.round(share * BAR_WIDTH)
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${Math.floor(share * 100)} %`
}

function timeLeft({ secondsLeft }: SyncStats): string {
  return secondsLeft === null ? '–' : formatSeconds(secondsLeft)
}

function logFields(stats: SyncStats, peers: number) {
  const { stage, currentBlock, highestBlock, checkedHeader, blocksPerSecond, snapshot } = stats
  return {
    stage,
    block: currentBlock,
    of: highestBlock,
    headers: checkedHeader,
    blocksPerSecond: Math.round(blocksPerSecond * 10) / 10,
    left: timeLeft(stats),
    peers,
    ...(snapshot === undefined ? {} : { snapshot }),
  }
}
