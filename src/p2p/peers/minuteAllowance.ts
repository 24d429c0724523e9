import type { Scheduler } from './scheduler.ts'

/**
 * The reference handles so many messages of a connection in a minute of its clock and drops the others without a
 * word (p2p.md §4 Limits).
 */
export const MINUTE_MESSAGES = 1000

/**
 * Milliseconds in which no more than {@link MINUTE_MESSAGES} are sent. It is more than a minute, because messages can
 * be late by different times: what was sent within a minute and a second can arrive within a minute.
 */
const WINDOW_MS = 61_000

/**
 * Messages of the window that questions, answers and transactions leave for what must not wait. While blocks are
 * fetched at full speed that is a STATUS now and then (p2p.md §6), and each place comes back within a tenth of a second.
 */
const RESERVE = 4

/** How many questions and answers may go together after a pause, and how fast they go then. */
const BURST = 24
const PER_SECOND = ((MINUTE_MESSAGES - RESERVE) * 1000) / WINDOW_MS

/** How many messages may be sent to a peer that counts them. */
export class MinuteAllowance {
  readonly #scheduler: Scheduler
  /** When each message of the window was sent, a ring. */
  readonly #sent = new Float64Array(MINUTE_MESSAGES)
  #oldest = 0
  #count = 0
  #tokens = BURST
  #filledAt: number

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
    this.#filledAt = scheduler.now()
  }

  /** Questions, answers and transactions that may go now. */
  get paced(): number {
    this.#advance()
    return Math.max(0, Math.min(Math.floor(this.#tokens), MINUTE_MESSAGES - RESERVE - this.#count))
  }

  /** Messages of any kind that may go now. */
  get any(): number {
    this.#advance()
    return MINUTE_MESSAGES - this.#count
  }

  /** Counts a question, answer or message of transactions that goes now; false when it may not. */
  takePaced(): boolean {
    if (this.paced === 0) return false
    this.#tokens -= 1
    this.#note()
    return true
  }

  /** Counts a message that must not wait; false when the whole window is used up. */
  takeAny(): boolean {
    if (this.any === 0) return false
    this.#note()
    return true
  }

  #note(): void {
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
