/** So much a second, and so much at once after a rest. */
export interface PaceRate {
  readonly perSecond: number
  readonly burst: number
}

const SECOND = 1000

/** A rate that is kept by waiting: what is too much is taken all the same, and paid for with time. */
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

  /** @returns milliseconds until the amount is earned; 0 while what was spared lasts */
  take(amount: number, now: number): number {
    const { perSecond, burst } = this.#rate
    this.#left = Math.min(burst, this.#left + (Math.max(0, now - this.#at) * perSecond) / SECOND) - amount
    this.#at = now
    return this.#left >= 0 ? 0 : Math.ceil((-this.#left * SECOND) / perSecond)
  }
}
