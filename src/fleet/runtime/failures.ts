import type { Logger } from '../../observe/logger.ts'

/** Milliseconds between two lines of the log about the same. */
const LOG_PERIOD = 60_000

/** Counts what goes wrong and stops nothing (fleet.md §10), and logs it once a minute. */
export class Failures {
  readonly #log: Logger
  /** By name what is counted. */
  readonly #counts: Record<string, number>
  readonly #logged = new Map<string, { readonly at: number; readonly count: number }>()

  constructor(log: Logger, counts: Record<string, number>) {
    this.#log = log
    this.#counts = counts
  }

  count(name: string, by = 1): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + by
  }

  /**
   * @param name under which it is counted @param what happened, for the log
   * @param now milliseconds of the monotonic clock
   */
  add(name: string, what: string, error: unknown, now = performance.now()): void {
    this.count(name)
    const count = this.#counts[name] ?? 0
    const last = this.#logged.get(what)
    if (last !== undefined && now - last.at < LOG_PERIOD) return
    this.#logged.set(what, { at: now, count })
    this.#log.warn({ err: error, times: count - (last?.count ?? 0) }, what)
  }

  /** Does something; whatever it throws is counted. */
  guard(name: string, what: string, action: () => void): void {
    try {
      action()
    } catch (error) {
      this.add(name, what, error)
    }
  }
}
