import { MiningError } from './errors.ts'

/**
 * The time that blocks get: the machine's, moved by what users of a development chain ask for. A time that is
 * set is where all later blocks go on from; seconds that are added count for the next block only, and those
 * after it follow when the machine's time has caught up, as in the reference (recorded).
 */
export class BlockClock {
  readonly #now: () => number
  readonly #mostAhead: number
  #offset = 0
  /** Seconds added for the next block. */
  #added = 0

  /**
   * @param now seconds since 1970
   * @param mostAhead seconds that a block may be ahead of the machine; a network's nodes refuse later ones
   */
  constructor(now: () => number, mostAhead: number = Number.POSITIVE_INFINITY) {
    this.#now = now
    this.#mostAhead = mostAhead
  }

  /** Seconds that blocks are ahead of the machine. */
  get offset(): number {
    return this.#offset + this.#added
  }

  /**
   * Moves the time of the next block forward; nothing happens for less than a second.
   * @returns seconds added since the last block
   * @throws MiningError `TIMESTAMP` when blocks would be too far ahead
   */
  increase(seconds: number): number {
    if (seconds > 0) {
      this.#assertNear(this.#now() + this.offset + seconds)
      this.#added += seconds
    }
    return this.#added
  }

  /** To be called when a block was made: what was added is used up. */
  blockMade(): void {
    this.#added = 0
  }

  /**
   * Makes a time the present: blocks go on from there.
   * @throws MiningError `TIMESTAMP` unless it is after the parent's, and when it is too far ahead
   */
  setTo(timestamp: number, parentTimestamp: number): void {
    if (!Number.isSafeInteger(timestamp) || timestamp <= parentTimestamp) {
      throw new MiningError('TIMESTAMP', `time ${timestamp} is not after the parent's ${parentTimestamp}`)
    }
    this.#assertNear(timestamp)
    this.#offset = timestamp - this.#now()
    this.#added = 0
  }

  /** Time of the next block: never before and never equal to its parent's (consensus.md §9.4 step 4). */
  next(parentTimestamp: number): number {
    return Math.max(this.#now() + this.offset, parentTimestamp + 1)
  }

  #assertNear(timestamp: number): void {
    const latest = this.#now() + this.#mostAhead
    if (timestamp <= latest) return
    throw new MiningError(
      'TIMESTAMP',
      `time ${timestamp} is more than ${this.#mostAhead} s ahead: this network takes times up to ${latest}`,
    )
  }
}
