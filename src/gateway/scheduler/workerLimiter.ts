import { RecentClients } from './recentClients.ts'

/** An owner that has not asked for so long needs no worker, milliseconds. */
const AWAY_AFTER = 10_000

/** Who uses the workers of a pool. */
export class WorkerLimiter {
  /** Counts turns of the lanes. */
  nextLane = 0
  /** Batches at workers, by the owners of their requests. */
  readonly #batches = new Map<object, number>()
  readonly #recent = new RecentClients()

  /** An owner asks for a worker. @param now monotonic milliseconds */
  asked(owner: object, now: number): void {
    this.#recent.asked(owner, now)
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
    return !this.#recent.hasOther(owner, now - AWAY_AFTER)
  }
}
