import type { Scheduler } from './scheduler.ts'

/**
 * Messages of a peer that are processed per clock minute; like the reference, this node drops the others
 * (p2p.md §4 Limits).
 */
const MINUTE_LIMIT = 1001

const MINUTE_MS = 60_000

/** Counts the unsolicited messages of a peer. */
export class InboundRate {
  readonly #scheduler: Scheduler
  readonly #limit: number
  #minute = Number.NaN
  #count = 0

  /** @param factor of the limit */
  constructor(scheduler: Scheduler, factor = 1) {
    this.#scheduler = scheduler
    this.#limit = factor * MINUTE_LIMIT
  }

  /** Counts a message; false when it exceeds the limit of this minute. */
  admit(): boolean {
    const minute = Math.floor(this.#scheduler.now() / MINUTE_MS)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#count = 0
    }
    this.#count += 1
    return this.#count <= this.#limit
  }

  /** True when the next one would exceed the limit. */
  get isSpent(): boolean {
    return Math.floor(this.#scheduler.now() / MINUTE_MS) === this.#minute && this.#count >= this.#limit
  }
}
