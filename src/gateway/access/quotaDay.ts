import { type CalendarDay, calendarDay } from '../../util/localDay.ts'
import type { AccountClock } from './account.ts'

/** Sources of the time. */
export interface Clocks {
  /** Milliseconds that only go on. */
  readonly monotonic: () => number
  /** Milliseconds since 1970; may be set, also back. */
  readonly wall: () => number
}

/** The clocks of this process. */
export const SYSTEM_CLOCKS: Clocks = { monotonic: () => performance.now(), wall: Date.now }

/**
 * The day in which quotas are counted: a calendar day in one time zone. Each look at it follows the wall clock, in
 * either direction.
 */
export class QuotaDay implements AccountClock {
  readonly timezone: string
  readonly now: () => number
  readonly #wall: () => number
  #today: CalendarDay

  /** @param timezone IANA name @throws RangeError for an unknown one */
  constructor(timezone: string, { monotonic, wall }: Clocks) {
    this.timezone = timezone
    this.now = monotonic
    this.#wall = wall
    this.#today = calendarDay(wall(), timezone)
  }

  get day(): number {
    return this.#today.day
  }

  untilNextDay(): number {
    return Math.max(0, this.#today.end - this.#wall())
  }

  /** Looks at the clock; whether it is another day than before. */
  look(): boolean {
    const time = this.#wall()
    if (time >= this.#today.start && time < this.#today.end) return false
    const before = this.#today.day
    this.#today = calendarDay(time, this.timezone)
    return this.#today.day !== before
  }
}
