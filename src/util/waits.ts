/** Upper bounds of waits, seconds. */
export const WAIT_BUCKETS: readonly number[] = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

/** Times for which something waited. */
export interface WaitCounts {
  /** Waits by bucket, then those above the last bound. */
  readonly counts: readonly number[]
  /** Seconds of all of them. */
  readonly sum: number
}

/** Counts how long something waits. */
export class Waits {
  readonly #counts = new Array<number>(WAIT_BUCKETS.length + 1).fill(0)
  #sum = 0

  add(milliseconds: number): void {
    const seconds = milliseconds / 1000
    const at = WAIT_BUCKETS.findIndex((bound) => seconds <= bound)
    const bucket = at === -1 ? WAIT_BUCKETS.length : at
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sum += seconds
  }

  get all(): WaitCounts {
    return { counts: [...this.#counts], sum: this.#sum }
  }
}
