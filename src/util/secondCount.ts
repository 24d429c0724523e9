/** Counts what happens in a second, which begins with the first event after the second before it. */
export class SecondCount {
  #began = 0
  #count = 0

  /** Counts one. @param now monotonic milliseconds @returns events of this second, this one included */
  add(now: number): number {
    if (now - this.#began >= 1000) {
      this.#began = now
      this.#count = 0
    }
    this.#count += 1
    return this.#count
  }

  /** Events of this second. @param now monotonic milliseconds */
  at(now: number): number {
    return now - this.#began >= 1000 ? 0 : this.#count
  }
}
