import { randomBytes } from 'node:crypto'
import type { RequestWatch } from '../gateway/requestWatch.ts'
import type { Logger } from '../observe/logger.ts'
import type { WatchedRequest } from '../observe/tracing.ts'

/** Entries in one second; more are only counted: a flood of slow requests must not become a flood of entries. */
const MAX_PER_SECOND = 10

/** Logs slow requests: where their time went and whose they are, without their parameters. */
export class SlowLog implements RequestWatch {
  /** Milliseconds from which on a request is slow; Infinity for never. */
  threshold: number
  readonly #log: Logger
  readonly #now: () => number
  #second = 0
  #written = 0
  #leftOut = 0

  /**
   * @param threshold milliseconds; 0 for never
   * @param now milliseconds
   */
  constructor(log: Logger, threshold: number, now: () => number = Date.now) {
    this.#log = log
    this.#now = now
    this.threshold = 0
    this.setThreshold(threshold)
  }

  /** @param milliseconds 0 for never */
  setThreshold(milliseconds: number): void {
    this.threshold = milliseconds === 0 ? Number.POSITIVE_INFINITY : milliseconds
  }

  onSlow(request: WatchedRequest): void {
    const second = Math.floor(this.#now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#written = 0
    }
    if (this.#written === MAX_PER_SECOND) {
      this.#leftOut += 1
      return
    }
    this.#written += 1
    const { method, lane, caller, code, started, sent, ended, paramBytes, answerBytes } = request
    this.#log.warn(
      {
        requestId: request.requestId ?? randomBytes(8).toString('hex'),
        method,
        lane,
        caller,
        milliseconds: Math.round(ended - started),
        ...(sent === null ? {} : { waited: Math.round(sent - started), ran: Math.round(ended - sent) }),
        ...(code === null ? {} : { code }),
        paramBytes,
        answerBytes,
        ...(this.#leftOut === 0 ? {} : { leftOut: this.#leftOut }),
      },
      'a request was slow',
    )
    this.#leftOut = 0
  }
}
