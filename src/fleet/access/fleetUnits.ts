import type { Grant, GrantAnswer, GrantAsk, GrantCall } from './grantCodec.ts'
import type { QuotaBlocks } from './quotaBlocks.ts'

/** Milliseconds for which the demand of a member counts after it asked last. */
const DEMAND_LIFETIME = 500

/** Buckets that are kept; one that is full again is dropped first. Each takes some 500 bytes. */
const MOST_BUCKETS = 65_536

/** Milliseconds between two looks for buckets that can go. */
const SWEEP_PERIOD = 10_000

interface FleetBucket {
  tokens: number
  filledAt: number
  rate: number
  burst: number
  /** By member. */
  readonly demands: Map<string, { readonly demand: number; readonly at: number }>
}

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
  readonly #buckets = new Map<string, FleetBucket>()
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
    const most = bucket.tokens * this.#shareOf(bucket, member, ask)
    const covered = Math.min(ask.overdrawn, most)
    const units = Math.min(ask.wanted, most - covered)
    bucket.tokens -= covered + units
    return { units, covered, level: bucket.tokens }
  }

  /** The part of a bucket that a member may have now: by demand, of which each has at most the whole rate. */
  #shareOf(bucket: FleetBucket, member: string, { demand }: GrantAsk): number {
    const now = this.#now()
    const own = Math.min(Math.max(demand, 1), bucket.rate)
    let sum = own
    for (const [other, known] of bucket.demands) {
      if (now - known.at > DEMAND_LIFETIME) bucket.demands.delete(other)
      else if (other !== member) sum += known.demand
    }
    bucket.demands.set(member, { demand: own, at: now })
    return own / sum
  }

  #bucketOf({ id, rate, burst }: GrantAsk): FleetBucket | null {
    const now = this.#now()
    const known = this.#buckets.get(id)
    if (known === undefined) {
      if (this.#buckets.size >= MOST_BUCKETS) return null
      // As if it had been filling since this leader began.
      const tokens = Math.min(burst, ((now - this.#began) * rate) / 1000)
      const bucket = { tokens, filledAt: now, rate, burst, demands: new Map() }
      this.#buckets.set(id, bucket)
      return bucket
    }
    fill(known, now)
    if (known.rate !== rate || known.burst !== burst) {
      known.tokens = Math.max(0, known.tokens + Math.min(0, burst - known.burst))
      known.rate = rate
      known.burst = burst
    }
    return known
  }

  #sweep(): void {
    const now = this.#now()
    if (now - this.#sweptAt < SWEEP_PERIOD) return
    this.#sweptAt = now
    for (const [id, bucket] of this.#buckets) {
      fill(bucket, now)
      const wouldHave = ((now - this.#began) * bucket.rate) / 1000
      if (bucket.tokens >= bucket.burst && wouldHave >= bucket.burst) this.#buckets.delete(id)
    }
  }
}

function fill(bucket: FleetBucket, now: number): void {
  const elapsed = now - bucket.filledAt
  if (elapsed <= 0) return
  bucket.filledAt = now
  bucket.tokens = Math.min(bucket.burst, bucket.tokens + (elapsed * bucket.rate) / 1000)
}
