/** Validity of a report in milliseconds: miners repeat it every few seconds. */
const REPORT_TIME = 60_000

/** Most miners whose reports are stored; further ones are ignored, so that memory is bounded. */
const MAX_MINERS = 1000

interface Report {
  readonly rate: bigint
  readonly at: number
}

/** Hash rates that miners report by eth_submitHashrate. */
export class ReportedHashrates {
  readonly #now: () => number
  readonly #reports = new Map<string, Report>()

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Records the rate of a miner.
   * @param rate hashes per second
   * @returns whether it was recorded
   */
  report(miner: Buffer, rate: bigint): boolean {
    this.#forgetOld()
    const key = miner.toString('hex')
    if (!this.#reports.has(key) && this.#reports.size >= MAX_MINERS) return false
    this.#reports.set(key, { rate, at: this.#now() })
    return true
  }

  /** Sum of the recent reports, hashes per second. */
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
