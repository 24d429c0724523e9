import type { Logger } from '../../observe/logger.ts'

/** Milliseconds between two lines of the log about messages that do not parse. */
const LOG_PERIOD = 60_000

/** Counts what comes from NATS and does not parse; it stops nothing (fleet.md §10). */
export class Skipped {
  readonly #log: Logger
  readonly #count: (name: string) => void
  #unlogged = 0
  #loggedAt = Number.NEGATIVE_INFINITY

  constructor(log: Logger, count: (name: string) => void) {
    this.#log = log
    this.#count = count
  }

  /** Handles a message; whatever it throws is counted. */
  guard(subject: string, handle: () => void): void {
    try {
      handle()
    } catch (error) {
      this.#count('skippedMessages')
      this.#unlogged += 1
      const now = performance.now()
      if (now - this.#loggedAt < LOG_PERIOD) return
      this.#log.warn(
        { subject, err: error, messages: this.#unlogged },
        'messages of NATS do not parse and are skipped',
      )
      this.#loggedAt = now
      this.#unlogged = 0
    }
  }
}
