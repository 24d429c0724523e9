/** Milliseconds for which a member has a part in what flows in after it asked last. */
const PART_LIFETIME = 500

/** Milliseconds of its part that are kept for a member until it asks. */
const KEPT = 100

interface Part {
  /** Units a second that are asked for at the member, at most the rate. */
  demand: number
  askedAt: number
  /** Kept for it, units. */
  units: number
}

/**
 * A token bucket that members of a fleet share: what flows in is divided by demand, what nobody takes is there for
 * all. Never gives more than `rate · t + burst` units in any time t. Empty at first. Times are monotonic
 * milliseconds.
 */
export class SharedBucket {
  #rate: number
  #burst: number
  /** Units that are there for all. */
  #common = 0
  #filledAt: number
  readonly #parts = new Map<string, Part>()

  /** @param rate units a second @param burst units at once */
  constructor(rate: number, burst: number, now: number) {
    this.#rate = rate
    this.#burst = burst
    this.#filledAt = now
  }

  /** Units that are there, those that are kept for members included. */
  get level(): number {
    let sum = this.#common
    for (const { units } of this.#parts.values()) sum += units
    return sum
  }

  /** Seconds in which an empty one fills. */
  get secondsToFill(): number {
    return this.#burst / this.#rate
  }

  isFull(now: number): boolean {
    this.#fill(now)
    return this.level >= this.#burst
  }

  /**
   * Takes units for a member, as far as they are there for it.
   * @param demand units a second that are asked for at the member; more than the rate counts as the rate
   */
  take(member: string, demand: number, wanted: number, now: number): number {
    this.#fill(now)
    const part = this.#parts.get(member) ?? { demand: 0, askedAt: now, units: 0 }
    this.#parts.set(member, part)
    part.demand = Math.min(Math.max(demand, 1), this.#rate)
    part.askedAt = now
    const own = Math.min(wanted, part.units)
    part.units = Math.max(0, part.units - own)
    const common = Math.min(wanted - own, (this.#common * part.demand) / this.#demand())
    this.#common = Math.max(0, this.#common - common)
    return own + common
  }

  /** Other limits from now on; what was taken stays taken. */
  change(rate: number, burst: number, now: number): void {
    this.#fill(now)
    if (rate === this.#rate && burst === this.#burst) return
    this.#rate = rate
    this.#burst = burst
    this.#common = Math.max(0, this.#common - Math.max(0, this.level - burst))
  }

  #demand(): number {
    let sum = 0
    for (const { demand } of this.#parts.values()) sum += demand
    return sum
  }

  #fill(now: number): void {
    const elapsed = now - this.#filledAt
    if (elapsed <= 0) return
    this.#filledAt = now
    for (const [member, { askedAt, units }] of this.#parts) {
      if (now - askedAt <= PART_LIFETIME) continue
      this.#parts.delete(member)
      this.#common += units
    }
    let left = Math.min(Math.max(0, this.#burst - this.level), (elapsed * this.#rate) / 1000)
    const demand = this.#demand()
    const inflow = left
    for (const part of this.#parts.values()) {
      const share = part.demand / demand
      const most = Math.max(0, (this.#rate * share * KEPT) / 1000 - part.units)
      const added = Math.min(inflow * share, most)
      part.units += added
      left -= added
    }
    // Sums of fractions may be below zero by a rounding.
    this.#common += Math.max(0, left)
  }
}
