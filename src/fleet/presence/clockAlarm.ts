import type { Logger } from '../../observe/logger.ts'
import type { MemberStatus } from '../interface.ts'

/** Milliseconds by which clocks of members may differ. */
export const CLOCK_DIFFERENCE = 1000
/** Milliseconds between two lines of the log about it. */
const LOG_PERIOD = 60_000

/** Says when clocks of present members differ: days of quotas begin by them (fleet.md §7). */
export class ClockAlarm {
  readonly #log: Logger
  #loggedAt = Number.NEGATIVE_INFINITY

  constructor(log: Logger) {
    this.#log = log
  }

  /** @param now milliseconds of the monotonic clock */
  look(members: readonly MemberStatus[], now: number): void {
    const off = members.filter(
      ({ present, clockAhead }) => present && Math.abs(clockAhead) > CLOCK_DIFFERENCE,
    )
    if (off.length === 0 || now - this.#loggedAt < LOG_PERIOD) return
    this.#loggedAt = now
    const clocks = off.map(({ name, clockAhead }) => ({ name, ahead: clockAhead }))
    this.#log.error({ clocks }, 'clocks of members differ by more than a second: see to their time services')
  }
}
