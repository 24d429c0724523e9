/**
 * A token bucket: never gives more than `rate · t + burst` units in any time t. Time is monotonic, in
 * milliseconds; a clock that stands still yields nothing. What others took of the same key may leave it with less than
 * nothing.
 */
export class TokenBucket {
  #rate: number
  #burst: number
  #tokens: number
  #filledAt: number

  /**
   * @param rate units a second
   * @param burst units at once; the bucket is full at first
   */
  constructor(rate: number, burst: number, now: number) {
    this.#rate = rate / 1000
    this.#burst = burst
    this.#tokens = burst
    this.#filledAt = now
  }

  /** Takes units, if that many are there. */
  take(units: number, now: number): boolean {
    this.#fill(now)
    if (this.#tokens < units) return false
    this.#tokens -= units
    return true
  }

  /** Takes units that are gone already. @param isLate whether it becomes empty by that at most */
  drain(units: number, now: number, isLate: boolean): void {
    this.#fill(now)
    this.#tokens = isLate ? Math.min(this.#tokens, Math.max(0, this.#tokens - units)) : this.#tokens - units
  }

  /** Milliseconds until so many units are there; Infinity for more than the bucket holds. */
  wait(units: number, now: number): number {
    if (units > this.#burst) return Number.POSITIVE_INFINITY
    this.#fill(now)
    return this.#tokens >= units ? 0 : (units - this.#tokens) / this.#rate
  }

  /** Units that are there, whole ones. */
  left(now: number): number {
    this.#fill(now)
    return Math.max(0, Math.floor(this.#tokens))
  }

  /** Other limits from now on; what was taken stays taken. */
  change(rate: number, burst: number, now: number): void {
    this.#fill(now)
    this.#tokens = Math.max(Math.min(0, this.#tokens), this.#tokens + burst - this.#burst)
    this.#rate = rate / 1000
    this.#burst = burst
  }

  #fill(now: number): void {
    const elapsed = now - this.#filledAt
    if (elapsed <= 0) return
    this.#filledAt = now
    this.#tokens = Math.min(this.#burst, this.#tokens + elapsed * this.#rate)
  }
}
