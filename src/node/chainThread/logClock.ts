/**
 * The time of a pool whose transactions come from a log (fleet.md §4): that at which the log stored its last entry,
 * which is the same for every member. Milliseconds since 1970.
 */
export class LogClock {
  readonly #steady: () => number
  #last: { readonly time: number; readonly at: number } | null = null

  /** @param steady a clock that never goes back; it is the time before the first entry */
  constructor(steady: () => number) {
    this.#steady = steady
  }

  /** Time of the last entry. */
  readonly now = (): number => this.#last?.time ?? this.#steady()

  /** What the next entry would have for its time now, as far as this machine can tell. */
  estimate(): number {
    const now = this.#steady()
    return this.#last === null ? now : this.#last.time + now - this.#last.at
  }

  /** An entry with this time was read. A log whose time goes back has the latest; parts of a millisecond do not count. */
  advance(time: number): void {
    const whole = Math.floor(time)
    this.#last = { time: Math.max(whole, this.#last?.time ?? whole), at: this.#steady() }
  }

  /** Time of the last entry; null before the first. */
  get last(): number | null {
    return this.#last?.time ?? null
  }
}
