import { MiningError } from './errors.ts'

/** A saved state of the clock. */
export interface ClockState {
  /** Offset of blocks to the machine's clock, seconds. */
  readonly offset: number
  /** Time set for the next block; null when none was set. */
  readonly exact: number | null
  /** The machine's clock, seconds since 1970. */
  readonly at: number
}

/**
 * The clock of block timestamps: the machine's, moved by users of a development chain as in Hardhat and anvil
 * (decisions.md D11). An increase moves all future blocks, and counts from the latest block when that is
 * ahead; a set time is the exact time of the next block, from which later ones continue.
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
   * @param mostAhead seconds that a block may be ahead of the machine; nodes of a network reject later ones
   */
  constructor(now: () => number, mostAhead: number = Number.POSITIVE_INFINITY) {
    this.#now = now
    this.#mostAhead = mostAhead
  }

  /** Changes with every change of the clock other than the passing of time. */
  get version(): number {
    return this.#version
  }

  /** Offset of blocks to the machine's clock, seconds. */
  get offset(): number {
    return this.#offset
  }

  /** Fixed interval between blocks in seconds; null to follow the clock. */
  get interval(): number | null {
    return this.#interval
  }

  /**
   * Moves the time of all future blocks forward; less than a second has no effect.
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

  /** Call it after every new block: later ones continue from a time that was set for it. */
  blockMade(timestamp: number): void {
    if (this.#exact !== null) this.#offset = timestamp - this.#now()
    this.#exact = null
    this.#added = 0
    this.#version += 1
  }

  /**
   * Sets the time of the next block, from which later ones continue.
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

  /** Sets the interval of block times in seconds; null follows the clock again. */
  setInterval(seconds: number | null): void {
    this.#interval = seconds
    this.#version += 1
  }

  /** Runs an action and restores the clock if it throws. */
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

  /** The current state of the clock. */
  state(): ClockState {
    return { offset: this.#offset, exact: this.#exact, at: this.#now() }
  }

  /** Restores a saved state, as if no time had passed since. */
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
