import type { Grant, GrantAnswer, GrantAsk, GrantCall } from './grantCodec.ts'
import type { QuotaBlocks } from './quotaBlocks.ts'
import { SharedBucket } from './sharedBucket.ts'

/** Buckets that are kept; one that is full again is dropped. Each takes some 500 bytes, and 100 for each member. */
const MOST_BUCKETS = 65_536

/** Milliseconds between two looks for buckets that can go. */
const SWEEP_PERIOD = 10_000

/** What a leader gives units from. */
export interface FleetUnitsOptions {
  readonly quotas: QuotaBlocks
  /** Milliseconds of the boot clock. */
  readonly now: () => number
  /** The day of quotas now. */
  readonly day: () => number
}

/**
 * The cost units of a fleet, in the hands of its leader: one token bucket per key, and blocks of the quota of the
 * day. What is granted is debited. All buckets are empty when a leader begins: what the leader before granted may be
 * in use still (fleet.md §7).
 */
export class FleetUnits {
  readonly #quotas: QuotaBlocks
  readonly #now: () => number
  readonly #day: () => number
  readonly #began: number
  readonly #buckets = new Map<string, SharedBucket>()
  #sweptAt: number

  constructor({ quotas, now, day }: FleetUnitsOptions) {
    this.#quotas = quotas
    this.#now = now
    this.#day = day
    this.#began = now()
    this.#sweptAt = this.#began
  }

  /** Number of keys with a bucket. */
  get buckets(): number {
    return this.#buckets.size
  }

  /** Grants what a member asks for, as far as it is there; in order, and shared with others by demand. */
  async grant({ member, asks }: GrantCall): Promise<GrantAnswer> {
    const day = this.#day()
    this.#sweep()
    const rates = asks.map((ask) => this.#grantRate(member, ask))
    const quotas = await Promise.all(asks.map((ask) => this.#quotas.grant(day, ask)))
    const grants = rates.map((rate, place): Grant => {
      const quota = quotas[place] ?? { units: 0, covered: 0, left: 0 }
      return { ...rate, quotaUnits: quota.units, quotaCovered: quota.covered, quotaLeft: quota.left }
    })
    return { day, grants }
  }

  #grantRate(member: string, ask: GrantAsk): Pick<Grant, 'units' | 'covered' | 'level'> {
    if (ask.rate === 0) return { units: 0, covered: 0, level: 0 }
    const bucket = this.#bucketOf(ask)
    if (bucket === null) return { units: 0, covered: 0, level: 0 }
    const { demand, overdrawn, wanted } = ask
    const taken = bucket.take(member, demand, overdrawn + wanted, this.#now())
    const covered = Math.min(overdrawn, taken)
    return { units: taken - covered, covered, level: bucket.level }
  }

  #bucketOf({ id, rate, burst }: GrantAsk): SharedBucket | null {
    const now = this.#now()
    const known = this.#buckets.get(id)
    if (known !== undefined) {
      known.change(rate, burst, now)
      return known
    }
    if (this.#buckets.size >= MOST_BUCKETS) return null
    // As if it had been filling since this leader began.
    const bucket = new SharedBucket(rate, burst, this.#began)
    this.#buckets.set(id, bucket)
    return bucket
  }

  /** A bucket that is full may go, since a new one would be full, too. */
  #sweep(): void {
    const now = this.#now()
    if (now - this.#sweptAt < SWEEP_PERIOD) return
    this.#sweptAt = now
    for (const [id, bucket] of this.#buckets) {
      if (bucket.isFull(now) && bucket.secondsToFill * 1000 <= now - this.#began) this.#buckets.delete(id)
    }
  }
}
