import type { Logger } from '../../observe/logger.ts'

/** Heads in a row that have to be of the future: the clock of one block maker alone says nothing. */
const HEADS = 4
/** Seconds by which they have to be. */
const TOLERANCE_SECONDS = 15

/**
 * Heads in a row that have to be old when they come. A block is as old as the work that it was found for, up to a
 * minute; of so many some were found at once.
 */
const OLD_HEADS = 16
/** Seconds by which they have to be. */
const OLD_TOLERANCE_SECONDS = 30
/** Blocks of addresses that have to have had a head: one slow way to this node says nothing. */
export const WITNESSES = 3

/**
 * Warns when the clock of this machine is wrong. It is behind when the last {@link HEADS} heads had a time more than
 * {@link TOLERANCE_SECONDS} seconds later than the clock when they came. It is ahead when the last {@link OLD_HEADS} heads that
 * came at the tip, each of which peers in {@link WITNESSES} blocks of addresses had, were all older than
 * {@link OLD_TOLERANCE_SECONDS} seconds. Blocks that are caught up with are old and say nothing. Nothing else between nodes
 * has a time (p2p.md §1: no packet of discovery does), and no service is asked for it.
 */
export class ClockWatch {
  readonly #now: () => number
  readonly #log: Logger
  /** Seconds from the clock to the times of the last heads, newest last. */
  readonly #leads: number[] = []
  /** Seconds from the times of the last heads with witnesses to the clock, newest last. */
  readonly #ages: number[] = []
  #behind: number | null = null
  #ahead: number | null = null

  /** @param now milliseconds since 1970, as the machine has them */
  constructor(now: () => number, log: Logger) {
    this.#now = now
    this.#log = log
  }

  /** Seconds by which the clock is behind, at least; null while it is not. */
  get behind(): number | null {
    return this.#behind
  }

  /** Seconds by which the clock is ahead, about: blocks travel and are a little old; null while it is not. */
  get ahead(): number | null {
    return this.#ahead
  }

  /**
   * A new head came.
   * @param timestamp its time, seconds since 1970
   * @returns its age by this clock, for {@link witnessed}
   */
  observe(timestamp: number): number {
    const lead = timestamp - Math.floor(this.#now() / 1000)
    const least = leastOf(this.#leads, lead, HEADS)
    const isNow = this.#turn(this.#behind, least > TOLERANCE_SECONDS ? least : null, {
      metadata: { seconds: least, heads: HEADS },
      warning:
        'the newest blocks are of the future: the clock of this machine seems to be behind, set it by NTP',
    })
    this.#behind = isNow
    return -lead
  }

  /**
   * A head that came at the tip turned out to be that of the peers, too.
   * @param age as {@link observe} gave it
   */
  witnessed(age: number): void {
    const least = leastOf(this.#ages, age, OLD_HEADS)
    this.#ahead = this.#turn(this.#ahead, least > OLD_TOLERANCE_SECONDS ? least : null, {
      metadata: { seconds: least, heads: OLD_HEADS },
      warning:
        'all newest blocks are old when they come: the clock of this machine seems to be ahead, set it by NTP',
    })
  }

  /** Says it once when it begins, and that it is over. */
  #turn(
    before: number | null,
    now: number | null,
    { metadata, warning }: { metadata: object; warning: string },
  ): number | null {
    if (before === null && now !== null) this.#log.warn(metadata, warning)
    if (before !== null && now === null) this.#log.info('the clock of this machine fits the blocks again')
    return now
  }
}

/** The least of the last values, or less than any tolerance while there are fewer than counted. */
function leastOf(values: number[], newest: number, count: number): number {
  values.push(newest)
  if (values.length > count) values.shift()
  return values.length < count ? Number.NEGATIVE_INFINITY : Math.min(...values)
}
