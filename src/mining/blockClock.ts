import { MiningError } from './errors.ts'

/**
 * The time that blocks get: the machine's, moved by what users of a development chain ask for. A time that is
 * set is where all later blocks go on from; seconds that are added count for the next block only, and those
 * after it follow when the machine's time has caught up, as in the reference (recorded).
 */
export class BlockClock {
  readonly #now: () => number
  #offset = 0
  /** Seconds added for the next block. */
  #added = 0

  /** @param now seconds since 1970 */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Seconds that blocks are ahead of the machine. */
  get offset(): number {
    return this.#offset + this.#added
  }

  /**
   * Moves the time of the next block forward; nothing happens for less than a second.
   * @returns seconds added since the last block
   */
  increase(seconds: number): number {
    if (seconds > 0) this.#added += seconds
    return this.#added
  }

  /** To be called when a block was made: what was added is used up. */
  blockMade(): void {
    this.#added = 0
  }

  /**
   * Makes a time the present: blocks go on from there.
   * @throws MiningError `TIMESTAMP` unless it is after the parent's
   */
  setTo(timestamp: number, parentTimestamp: number): void {
    if (!Number.isSafeInteger(timestamp) || timestamp <= parentTimestamp) {
      throw new MiningError('TIMESTAMP', `time ${timestamp} is not after the parent's ${parentTimestamp}`)
    }
    this.#offset = timestamp - this.#now()
    this.#added = 0
  }

  /** Time of the next block: never before and never equal to its parent's (consensus.md §9.4 step 4). */
  next(parentTimestamp: number): number {
    return Math.max(this.#now() + this.offset, parentTimestamp + 1)
  }
}
