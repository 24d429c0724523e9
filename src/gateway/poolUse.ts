/** An owner that has not asked for so long needs no worker, milliseconds. */
const AWAY_AFTER = 10_000

/** Who uses the workers of a pool. */
export class PoolUse {
  /** Counts turns of the lanes. */
  nextLane = 0
  /** Batches at workers, by the owners of their requests. */
  readonly #batches = new Map<object, number>()
  /** The last owner that asked, and the last other one, with when. */
  #last: object | null = null
  #other: object | null = null
  #otherAt = Number.NEGATIVE_INFINITY
  #lastAt = Number.NEGATIVE_INFINITY

  /** An owner asks for a worker. @param now monotonic milliseconds */
  asked(owner: object, now: number): void {
    if (owner !== this.#last) {
      this.#other = this.#last
      this.#otherAt = this.#lastAt
      this.#last = owner
    }
    this.#lastAt = now
  }

  /** A batch goes to a worker. @param owners of its requests */
  began(owners: ReadonlySet<object>): void {
    for (const owner of owners) this.#batches.set(owner, (this.#batches.get(owner) ?? 0) + 1)
  }

  /** It came back. */
  ended(owners: ReadonlySet<object>): void {
    for (const owner of owners) {
      const left = (this.#batches.get(owner) ?? 1) - 1
      if (left === 0) this.#batches.delete(owner)
      else this.#batches.set(owner, left)
    }
  }

  /**
   * Whether an owner with long requests may have one more worker: the last one is left to others, as long as there
   * are any.
   */
  mayHoldMore(owner: object, capacity: number, now: number): boolean {
    if (capacity === 1 || (this.#batches.get(owner) ?? 0) < capacity - 1) return true
    const [someone, at] = owner === this.#last ? [this.#other, this.#otherAt] : [this.#last, this.#lastAt]
    return someone === null || now - at > AWAY_AFTER
  }
}
