import type { Logger } from '../../observe/logger.ts'

/** Heads in a row that have to be of the future: the clock of one block maker alone says nothing. */
const HEADS = 4
/** Seconds by which they have to be. */
const TOLERANCE = 15

/**
 * Warns when the clock of this machine is behind: the last {@link HEADS} heads had a time more than {@link TOLERANCE}
 * seconds later than the clock when they came. Blocks that are caught up with are old and say nothing; nor do blocks
 * tell a clock that is ahead from blocks that travelled long. No service is asked for the time.
 */
export class ClockWatch {
  readonly #now: () => number
  readonly #log: Logger
  /** Seconds from the clock to the times of the last heads, newest last. */
  readonly #leads: number[] = []
  #behind: number | null = null

  /** @param now milliseconds since 1970, as the machine has them */
  constructor(now: () => number, log: Logger) {
    this.#now = now
    this.#log = log
  }

  /** Seconds by which the clock is behind, at least; null while it is not. */
  get behind(): number | null {
    return this.#behind
  }

  /** @param timestamp of a new head, seconds since 1970 */
  note(timestamp: number): void {
    this.#leads.push(timestamp - Math.floor(this.#now() / 1000))
    if (this.#leads.length > HEADS) this.#leads.shift()
    const least = Math.min(...this.#leads)
    const before = this.#behind
    this.#behind = this.#leads.length === HEADS && least > TOLERANCE ? least : null
    if (before === null && this.#behind !== null) {
      this.#log.warn(
        { seconds: least, heads: HEADS },
        'the newest blocks are of the future: the clock of this machine seems to be behind, set it by NTP',
      )
    }
    if (before !== null && this.#behind === null)
      this.#log.info('the clock of this machine fits the blocks again')
  }
}
