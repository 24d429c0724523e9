/** A rate per second, and a burst after a pause. */
export interface PaceRate {
  readonly perSecond: number
  readonly burst: number
}

const SECOND = 1000

/** A rate limit by delay: excess is accepted, and paid for by waiting. */
export class Pace {
  readonly #rate: PaceRate
  #left: number
  #at: number

  /** @param now milliseconds, steady clock */
  constructor(rate: PaceRate, now: number) {
    this.#rate = rate
    this.#left = rate.burst
    this.#at = now
  }

  /** @returns milliseconds to wait; 0 within the burst */
  take(amount: number, now: number): number {
    const { perSecond, burst } = this.#rate
    this.#left = Math.min(burst, this.#left + (Math.max(0, now - this.#at) * perSecond) / SECOND) - amount
    this.#at = now
    return this.#left >= 0 ? 0 : Math.ceil((-this.#left * SECOND) / perSecond)
  }
}
