const KEPT = 1000

/** How long rounds held requests of this member, milliseconds. */
export class RoundHolds {
  readonly #times: number[] = []
  #next = 0
  #since: number | null = null
  #longest = 0
  #count = 0

  began(now: number): void {
    this.#since ??= now
  }

  ended(now: number): void {
    if (this.#since === null) return
    const time = now - this.#since
    this.#since = null
    this.#times[this.#next] = time
    this.#next = (this.#next + 1) % KEPT
    this.#longest = Math.max(this.#longest, time)
    this.#count += 1
  }

  get stats(): {
    readonly p50: number
    readonly p99: number
    readonly longest: number
    readonly count: number
  } {
    const sorted = this.#times.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
    return { p50: at(0.5), p99: at(0.99), longest: this.#longest, count: this.#count }
  }
}
