import type { FleetPublisher } from '../../fleet/interface.ts'
import { ADMITTED, type SharedLog, STABLE } from '../../fleet/log/sharedLog.ts'
import { RpcError } from '../../rpc/errors.ts'

/** What waits beside reads of clients: some hundred bytes each, and what it is about is in the pool. */
const MOST_WAITING = 65_536

interface Waiting {
  readonly sequence: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Holds back what the chain thread says of the pool until every member that may serve has applied the entries of the
 * log that it shows (fleet.md §4). What waits for the same entry goes in the order in which it came.
 */
export class StableLog {
  #publisher: FleetPublisher | null = null
  #shared: SharedLog | null = null
  #waiting: Waiting[] = []
  #isAsking = false

  /** Who is asked when an entry is stable; null when there is nobody: then nothing is said of the pool. */
  askOf(publisher: FleetPublisher | null): void {
    this.#publisher = publisher
    this.#shared = null
    for (const { reject } of this.#waiting.splice(0)) reject(new RpcError('fleetAway'))
  }

  /** Where the sequences are. */
  follow(shared: SharedLog): void {
    this.#shared = shared
  }

  /**
   * To be asked in the turn in which the pool was read.
   * @returns null when what it showed may be said at once; else resolves when it may
   * @throws RpcError `fleetAway`
   */
  wait(): Promise<void> | null {
    if (this.#shared === null) throw new RpcError('fleetAway')
    const [admitted = 0, stable = 0] = [this.#shared.sequences[ADMITTED], this.#shared.sequences[STABLE]]
    if (admitted <= stable) return null
    return new Promise((resolve, reject) => {
      this.#waiting.push({ sequence: admitted, resolve, reject })
      void this.#ask()
    })
  }

  /** Does something at once when the pool may be spoken of; else when it may, or when that does not come in time. */
  after(action: () => void): void {
    const isFull = this.#waiting.length >= MOST_WAITING
    const waiting = this.#shared === null || isFull ? null : this.wait()
    if (waiting === null) action()
    else waiting.then(action, action)
  }

  /** Lets go of what may be said by now. */
  release(): void {
    const stable = this.#shared?.sequences[STABLE] ?? 0
    const left: Waiting[] = []
    for (const waiting of this.#waiting) {
      if (waiting.sequence <= stable) waiting.resolve()
      else left.push(waiting)
    }
    this.#waiting = left
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    try {
      while (this.#waiting.length > 0) {
        const sequence = this.#waiting.reduce((least, { sequence: own }) => Math.min(least, own), Infinity)
        try {
          await this.#publisher?.whenStable?.(sequence)
          this.release()
          // The memory says so before the call is answered.
          this.#drop(sequence, new RpcError('fleetAway'))
        } catch (error) {
          this.#drop(sequence, error)
        }
      }
    } finally {
      this.#isAsking = false
    }
  }

  /** Gives up what waits for an entry and for those before. */
  #drop(sequence: number, error: unknown): void {
    const late = this.#waiting.filter((waiting) => waiting.sequence <= sequence)
    this.#waiting = this.#waiting.filter((waiting) => waiting.sequence > sequence)
    for (const { reject } of late) reject(error)
  }
}
