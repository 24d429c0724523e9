import { MiningError } from './errors.ts'

/** A clock at a moment, to go back to. */
export interface ClockState {
  /** Seconds that blocks were ahead of the machine. */
  readonly offset: number
  /** Time that the next block was to have; null when none was set. */
  readonly exact: number | null
  /** What the machine's clock showed, seconds since 1970. */
  readonly at: number
}

/**
 * The time that blocks get: the machine's, moved by what users of a development chain ask for, as Hardhat and
 * anvil move it (decisions.md D11). Seconds that are added move all blocks to come and count from the newest block
 * when that is ahead; a time that is set is the very time of the next block, and later ones go on from there.
 */
export class BlockClock {
  readonly #now: () => number
  readonly #mostAhead: number
  #offset = 0
  #exact: number | null = null
  #interval: number | null = null
  /** Seconds added since the last block. */
  #added = 0
  #version = 0

  /**
   * @param now seconds since 1970
   * @param mostAhead seconds that a block may be ahead of the machine; a network's nodes refuse later ones
   */
  constructor(now: () => number, mostAhead: number = Number.POSITIVE_INFINITY) {
    this.#now = now
    this.#mostAhead = mostAhead
  }

  /** Another number after each change of what blocks get, the passing of time aside. */
  get version(): number {
    return this.#version
  }

  /** Seconds that blocks are ahead of the machine. */
  get offset(): number {
    return this.#offset
  }

  /** Seconds from each block to the next in place of the time that passes; null for that time. */
  get interval(): number | null {
    return this.#interval
  }

  /**
   * Moves the time of all blocks to come forward; nothing happens for less than a second.
   * @param parentTimestamp of the newest block: seconds count from there when it is ahead of the clock
   * @returns seconds added since the last block
   * @throws MiningError `TIMESTAMP` when blocks would be too far ahead
   */
  increase(seconds: number, parentTimestamp: number): number {
    if (seconds > 0) {
      const now = this.#now()
      const ahead = Math.max(this.#offset, parentTimestamp - now)
      this.#assertNear(now + ahead + seconds)
      this.#offset = ahead + seconds
      this.#added += seconds
      this.#version += 1
    }
    return this.#added
  }

  /** To be called when a block was made: later ones go on from a time that was set for it. */
  blockMade(timestamp: number): void {
    if (this.#exact !== null) this.#offset = timestamp - this.#now()
    this.#exact = null
    this.#added = 0
    this.#version += 1
  }

  /**
   * Sets the time of the next block; later ones go on from there.
   * @throws MiningError `TIMESTAMP` unless it is after the parent's, and when it is too far ahead
   */
  setTo(timestamp: number, parentTimestamp: number): void {
    if (!Number.isSafeInteger(timestamp) || timestamp <= parentTimestamp) {
      throw new MiningError('TIMESTAMP', `time ${timestamp} is not after the parent's ${parentTimestamp}`)
    }
    this.#assertNear(timestamp)
    this.#exact = timestamp
    this.#version += 1
  }

  /** Gives each block a time so many seconds after its parent's; null follows the clock again. */
  setInterval(seconds: number | null): void {
    this.#interval = seconds
    this.#version += 1
  }

  /** Runs an action; when that throws, the clock is again what it was before. */
  attempt<T>(action: () => T): T {
    const before = { offset: this.#offset, exact: this.#exact, added: this.#added }
    try {
      return action()
    } catch (error) {
      this.#offset = before.offset
      this.#exact = before.exact
      this.#added = before.added
      this.#version += 1
      throw error
    }
  }

  /** The clock as it is. */
  state(): ClockState {
    return { offset: this.#offset, exact: this.#exact, at: this.#now() }
  }

  /** Goes on from a moment as if no time had passed since. */
  restore({ offset, exact, at }: ClockState): void {
    this.#offset = offset + at - this.#now()
    this.#exact = exact
    this.#added = 0
    this.#version += 1
  }

  /** Follows the machine again. */
  reset(): void {
    this.#interval = null
    this.restore({ offset: 0, exact: null, at: this.#now() })
  }

  /** Time of the next block: never before and never equal to its parent's (consensus.md §9.4 step 4). */
  next(parentTimestamp: number): number {
    const exact = this.#exact
    if (exact !== null && exact > parentTimestamp) return exact
    const wanted = this.#interval === null ? this.#now() + this.#offset : parentTimestamp + this.#interval
    return Math.max(wanted, parentTimestamp + 1)
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
