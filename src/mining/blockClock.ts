import { MiningError } from './errors.ts'

/** The time that blocks get: the machine's, moved by what users of a development chain ask for. */
export class BlockClock {
  readonly #now: () => number
  #offset = 0

  /** @param now seconds since 1970 */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Seconds that blocks are ahead of the machine. */
  get offset(): number {
    return this.#offset
  }

  /** Moves the time of all blocks to come forward; nothing happens for less than a second. @returns the offset */
  increase(seconds: number): number {
    if (seconds > 0) this.#offset += seconds
    return this.#offset
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
  }

  /** Time of the next block: never before and never equal to its parent's (consensus.md §9.4 step 4). */
  next(parentTimestamp: number): number {
    return Math.max(this.#now() + this.#offset, parentTimestamp + 1)
  }
}
