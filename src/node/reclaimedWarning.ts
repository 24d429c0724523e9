import type { Logger } from '../observe/logger.ts'

/** Milliseconds between two warnings. */
const PERIOD_MILLISECONDS = 60_000

/** Warns of WebSockets that were closed for what they had of messages that did not end: at once, then once a minute. */
export function reclaimedWarning(log: Logger): () => void {
  let closed = 0
  let isQuiet = false
  const warn = () => {
    isQuiet = closed > 0
    if (!isQuiet) return
    log.warn(
      { sockets: closed },
      'WebSockets were closed: what they sent of messages that did not end took more than --client-memory or --memory-total',
    )
    closed = 0
    setTimeout(warn, PERIOD_MILLISECONDS).unref()
  }
  return () => {
    closed += 1
    if (!isQuiet) warn()
  }
}
