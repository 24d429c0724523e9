import type { Scheduler } from './scheduler.ts'

/**
 * Messages of a connection that the reference handles per clock minute; it drops the others silently (p2p.md
 * §4 Limits).
 */
export const MINUTE_MESSAGES = 1000

/**
 * Window in which at most {@link MINUTE_MESSAGES} are sent, milliseconds. It exceeds a minute because
 * latencies vary: messages sent within a minute and a second may arrive within a minute.
 */
const WINDOW_MS = 61_000

/**
 * Messages of the window that requests, responses and transactions leave for urgent ones. At full download
 * speed that is a STATUS now and then (p2p.md §6), and each slot is renewed within a tenth of a second.
 */
const RESERVE = 4

/** Burst of requests and responses after a pause, and their rate then. */
const BURST = 24
const PER_SECOND = ((MINUTE_MESSAGES - RESERVE) * 1000) / WINDOW_MS

/** Limits the messages sent to a peer that counts them. */
export class MinuteAllowance {
  readonly #scheduler: Scheduler
  /** Times of the messages of the window, a ring buffer. */
  readonly #sent = new Float64Array(MINUTE_MESSAGES)
  #oldest = 0
  #count = 0
  #tokens = BURST
  #filledAt: number

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
    this.#filledAt = scheduler.now()
  }

  /** Requests, responses and transactions that may be sent now. */
  get paced(): number {
    this.#advance()
    return Math.max(0, Math.min(Math.floor(this.#tokens), MINUTE_MESSAGES - RESERVE - this.#count))
  }

  /** Messages of any kind that may be sent now. */
  get any(): number {
    this.#advance()
    return MINUTE_MESSAGES - this.#count
  }

  /** Counts a request, response or message of transactions that is sent now; false when it may not be. */
  takePaced(): boolean {
    if (this.paced === 0) return false
    this.#tokens -= 1
    this.#record()
    return true
  }

  /** Counts a message that must not wait; false when the whole window is used up. */
  takeAny(): boolean {
    if (this.any === 0) return false
    this.#record()
    return true
  }

  #record(): void {
    this.#sent[(this.#oldest + this.#count) % MINUTE_MESSAGES] = this.#scheduler.now()
    this.#count += 1
  }

  #advance(): void {
    const now = this.#scheduler.now()
    while (this.#count > 0 && (this.#sent[this.#oldest] ?? 0) <= now - WINDOW_MS) {
      this.#oldest = (this.#oldest + 1) % MINUTE_MESSAGES
      this.#count -= 1
    }
    this.#tokens = Math.min(BURST, this.#tokens + ((now - this.#filledAt) * PER_SECOND) / 1000)
    this.#filledAt = now
  }
}
