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
    const sequence = this.#awaited(this.#shared)
    if (sequence !== null) return new Promise((resolve, reject) => this.#add(sequence, resolve, reject))
    // What waits was first.
    this.release()
    return null
  }

  /** Does something at once when the pool may be spoken of; else when it may, or when that does not come in time. */
  after(action: () => void): void {
    const sequence = this.#shared === null ? null : this.#awaited(this.#shared)
    if (sequence !== null && this.#waiting.length < MOST_WAITING) {
      this.#add(sequence, action, action)
      return
    }
    this.release()
    action()
  }

  /** Lets go of what may be said by now. */
  release(): void {
    if (this.#waiting.length === 0) return
    const stable = this.#shared?.sequences[STABLE] ?? 0
    const ready = this.#waiting.filter(({ sequence }) => sequence <= stable)
    this.#waiting = this.#waiting.filter(({ sequence }) => sequence > stable)
    for (const { resolve } of ready) resolve()
  }

  /** The entry that the pool shows and others may not have; null for none. */
  #awaited({ sequences }: SharedLog): number | null {
    const { [ADMITTED]: admitted = 0, [STABLE]: stable = 0 } = sequences
    return admitted > stable ? admitted : null
  }

  #add(sequence: number, resolve: () => void, reject: (error: unknown) => void): void {
    this.#waiting.push({ sequence, resolve, reject })
    void this.#ask()
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
