/** The clients that asked of late: the last one, and the last other one. */
export class RecentClients {
  #last: object | null = null
  #lastAt = Number.NEGATIVE_INFINITY
  #other: object | null = null
  #otherAt = Number.NEGATIVE_INFINITY

  /** A client asks. @param now of a clock that only goes on, in any unit */
  asked(client: object, now: number): void {
    if (client !== this.#last) {
      this.#other = this.#last
      this.#otherAt = this.#lastAt
      this.#last = client
    }
    this.#lastAt = now
  }

  /** True when another client than this one asked since a time. */
  hasOther(client: object, since: number): boolean {
    const [someone, at] = client === this.#last ? [this.#other, this.#otherAt] : [this.#last, this.#lastAt]
    return someone !== null && at >= since
  }
}
