/** Who asked of late: the last owner of a request, and the last other one. */
export class RecentClients {
  #last: object | null = null
  #lastAt = Number.NEGATIVE_INFINITY
  #other: object | null = null
  #otherAt = Number.NEGATIVE_INFINITY

  /** An owner asks. @param now of a clock that only goes on, in any unit */
  asked(owner: object, now: number): void {
    if (owner !== this.#last) {
      this.#other = this.#last
      this.#otherAt = this.#lastAt
      this.#last = owner
    }
    this.#lastAt = now
  }

  /** Whether somebody else than an owner asked since a time. */
  hasOther(owner: object, since: number): boolean {
    const [someone, at] = owner === this.#last ? [this.#other, this.#otherAt] : [this.#last, this.#lastAt]
    return someone !== null && at >= since
  }
}
