import { RecentClients } from './recentClients.ts'

/** A client that has not asked for so long needs no worker, milliseconds. */
const AWAY_MILLISECONDS = 10_000

/** The count of those that use the workers of a pool. */
export class WorkerLimiter {
  /** Counts turns of the lanes. */
  nextLane = 0
  /** Batches at workers, by the clients of their requests. */
  readonly #batches = new Map<object, number>()
  readonly #recent = new RecentClients()

  /** A client asks for a worker. @param now monotonic milliseconds */
  asked(client: object, now: number): void {
    this.#recent.asked(client, now)
  }

  /** A batch goes to a worker. @param clients of its requests */
  began(clients: ReadonlySet<object>): void {
    for (const client of clients) this.#batches.set(client, (this.#batches.get(client) ?? 0) + 1)
  }

  /** It came back. */
  ended(clients: ReadonlySet<object>): void {
    for (const client of clients) {
      const left = (this.#batches.get(client) ?? 1) - 1
      if (left === 0) this.#batches.delete(client)
      else this.#batches.set(client, left)
    }
  }

  /**
   * Whether a client with long requests may have one more worker: the last one is left to others, as long as there
   * are any.
   */
  mayHoldMore(client: object, capacity: number, now: number): boolean {
    if (capacity === 1 || (this.#batches.get(client) ?? 0) < capacity - 1) return true
    return !this.#recent.hasOther(client, now - AWAY_MILLISECONDS)
  }
}
