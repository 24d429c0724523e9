/** Milliseconds for which a report counts: miners repeat it every few seconds. */
const REPORT_TIME = 60_000

/** Miners whose reports are kept; more are not noted, so that nobody fills the memory. */
const MOST_MINERS = 1000

interface Report {
  readonly rate: bigint
  readonly at: number
}

/** Hash rates that miners tell by eth_submitHashrate. */
export class ReportedHashrates {
  readonly #now: () => number
  readonly #reports = new Map<string, Report>()

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Notes the rate of a miner.
   * @param rate hashes per second
   * @returns whether it is counted
   */
  report(miner: Buffer, rate: bigint): boolean {
    this.#forgetOld()
    const key = miner.toString('hex')
    if (!this.#reports.has(key) && this.#reports.size >= MOST_MINERS) return false
    this.#reports.set(key, { rate, at: this.#now() })
    return true
  }

  /** Hashes per second of all miners that reported lately. */
  sum(): bigint {
    this.#forgetOld()
    let sum = 0n
    for (const { rate } of this.#reports.values()) sum += rate
    return sum
  }

  #forgetOld(): void {
    const oldest = this.#now() - REPORT_TIME
    for (const [miner, { at }] of this.#reports) {
      if (at <= oldest) this.#reports.delete(miner)
    }
  }
}
