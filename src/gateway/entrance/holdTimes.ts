/** Upper bounds of the time of a hold, seconds. */
export const HOLD_BUCKETS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
]

/** For how long requests were held for changes of the head. Totals only grow. */
export class HoldTimes {
  /** Holds per bucket, then those above the last bound. */
  readonly counts = new Float64Array(HOLD_BUCKETS.length + 1)
  /** Seconds of all holds. */
  seconds = 0
  /** Holds after which what waited was refused. */
  late = 0

  /** Counts a hold that is over. @param isLate whether what waited was refused meanwhile */
  add(milliseconds: number, isLate: boolean): void {
    const seconds = milliseconds / 1000
    const bucket = HOLD_BUCKETS.findIndex((bound) => seconds <= bound)
    const place = bucket < 0 ? HOLD_BUCKETS.length : bucket
    this.counts[place] = (this.counts[place] ?? 0) + 1
    this.seconds += seconds
    if (isLate) this.late += 1
  }
}
