import type { Grant, GrantAsk } from '../../fleet/access/grantCodec.ts'
import type { Limits } from './limits.ts'

/** Milliseconds of use that a member has granted in advance. */
const AHEAD = 100

/** The same while more than half of the burst is left for all members: the leader is asked less often. */
const AHEAD_OF_PLENTY = 400

/** The same for quotas of the day, of which each block is a write to NATS. */
const QUOTA_AHEAD = 1000

/** Milliseconds for which granted units of a rate are good, from before they were asked for. */
export const GRANT_LIFETIME = 1000

/** Milliseconds over which demand is averaged; a sudden one counts at once. */
const DEMAND_WINDOW = 200

/** Part of a second of the rate that may be used without a grant (fleet.md §7). */
const OVERDRAFT_SECONDS = 0.1

/** The same of a quota of the day, as long as more than half of the quota is left. */
const QUOTA_OVERDRAFT_SHARE = 0.01

/** Milliseconds for which an answer of the leader says how much of the quota is left. */
const QUOTA_NEWS_LIFETIME = 1000

/** Milliseconds between two calls for a key of which nothing is left. */
const EXHAUSTED_PERIOD = 1000

/** Shortest wait that a refused client is told: units come with the next answer of the leader. */
const SHORTEST_WAIT = 50

/** What keeps account of the units of one key that its fleet granted to this member. */
export interface GrantedUnitsOptions {
  readonly id: string
  readonly limits: Limits
  /** Cost units of its dearest method. */
  readonly dearest: number
  /** Monotonic milliseconds. */
  readonly now: number
  /** Told when units are needed. */
  readonly onNeed: (units: GrantedUnits) => void
  /** Cost units that the fleet used today, as far as this member knows by the usage of others. */
  readonly usedToday: () => number
}

/** Which of the two limits is over. */
export type UnitsReason = 'rate' | 'dailyQuota'

/**
 * Cost units of a key in a fleet: what its leader granted, and what may be used before it answers (fleet.md §7).
 * `charge` is synchronous: what is needed is asked for in the background, in one call for all keys.
 */
export class GrantedUnits {
  readonly id: string
  readonly #onNeed: (units: GrantedUnits) => void
  readonly #usedToday: () => number
  #limits: Limits
  #dearest: number
  #units = 0
  #goodUntil = 0
  #overdrawn = 0
  /** Of the bucket of the fleet, as last told. */
  #level: number
  #quotaUnits = 0
  #quotaOverdrawn = 0
  #quotaLeft: number
  #quotaDay: number | null = null
  /** When it was learnt how much of the quota is left. */
  #quotaKnownAt = Number.NEGATIVE_INFINITY
  #exhaustedUntil = 0
  /** Cost units asked for since demand was measured, refused ones included. */
  #asked = 0
  #refused = 0
  #quotaRefused = 0
  #lastCost = 0
  #measuredAt: number
  #demand = 0
  #isQueued = false

  constructor({ id, limits, dearest, now, onNeed, usedToday }: GrantedUnitsOptions) {
    this.id = id
    this.#limits = limits
    this.#dearest = dearest
    this.#measuredAt = now
    this.#level = limits.burst
    this.#quotaLeft = limits.dailyQuota
    this.#onNeed = onNeed
    this.#usedToday = usedToday
  }

  /** Takes the cost of a request; the reason when a limit is over. Nothing is taken then. */
  charge(cost: number, now: number): UnitsReason | null {
    this.#asked += cost
    this.#lastCost = cost
    const reason = this.#refusal(cost, now)
    if (reason === 'rate') this.#refused += cost
    else if (reason === 'dailyQuota') this.#quotaRefused = Math.max(this.#quotaRefused, cost)
    else this.#take(cost, now)
    if (!this.#isQueued && this.#isLow(now)) {
      this.#isQueued = true
      this.#onNeed(this)
    }
    return reason
  }

  /** What to ask the leader for now. */
  ask(now: number): GrantAsk {
    this.#isQueued = false
    const demand = this.#measure(now)
    const { rate, burst, dailyQuota } = this.#limits
    const refused = this.#refused
    const quotaRefused = this.#quotaRefused
    this.#refused = 0
    this.#quotaRefused = 0
    // A member that is asked less than once in that time would let units expire: it overdraws.
    const ahead = demand * (this.#ahead / 1000)
    const target = Math.min(burst, Math.max(ahead >= this.#lastCost ? ahead : 0, refused))
    const quotaAhead = Math.max(
      demand * (QUOTA_AHEAD / 1000),
      quotaRefused,
      this.#isNearEnd ? this.#lastCost * 2 : 0,
    )
    return {
      id: this.id,
      rate,
      burst,
      dailyQuota,
      demand,
      wanted: rate === 0 ? 0 : Math.max(0, target - this.#unitsAt(now)),
      overdrawn: rate === 0 ? 0 : this.#overdrawn,
      quotaWanted: dailyQuota === 0 ? 0 : Math.max(0, Math.ceil(quotaAhead - this.#quotaUnits)),
      quotaOverdrawn: dailyQuota === 0 ? 0 : this.#quotaOverdrawn,
    }
  }

  /**
   * Takes what the leader gave.
   * @param askedAt when it was asked for, monotonic milliseconds
   * @param day that the quota is of
   */
  take(grant: Grant, askedAt: number, day: number, now: number): void {
    this.#units = this.#unitsAt(now) + grant.units
    // What is left of an earlier grant is good no longer because the leader had nothing more.
    if (grant.units > 0) this.#goodUntil = askedAt + GRANT_LIFETIME
    this.#overdrawn = Math.max(0, this.#overdrawn - grant.covered)
    this.#level = grant.level
    // What was granted of another day is none of this one.
    if (day !== this.#quotaDay) this.#quotaUnits = 0
    this.#quotaDay = day
    this.#quotaUnits += grant.quotaUnits
    this.#quotaOverdrawn = Math.max(0, this.#quotaOverdrawn - grant.quotaCovered)
    this.#quotaLeft = grant.quotaLeft
    this.#quotaKnownAt = now
    const isExhausted = this.#limits.dailyQuota > 0 && this.#quotaUnits === 0 && grant.quotaLeft === 0
    this.#exhaustedUntil = isExhausted ? now + EXHAUSTED_PERIOD : 0
  }

  /** The leader did not answer: what is needed is asked for again when a request comes. */
  unanswered(): void {
    this.#isQueued = false
  }

  /** The day of the quota has changed by the clock of this machine; the leader says what it is for the fleet. */
  beginDay(): void {
    this.#quotaLeft = this.#limits.dailyQuota
    this.#quotaKnownAt = Number.NEGATIVE_INFINITY
    this.#exhaustedUntil = 0
  }

  /** Other limits from now on; what was used stays used. */
  change(limits: Limits, dearest: number): void {
    const { dailyQuota } = this.#limits
    this.#quotaLeft = Math.max(0, this.#quotaLeft + limits.dailyQuota - dailyQuota)
    this.#limits = limits
    this.#dearest = dearest
    this.#exhaustedUntil = 0
  }

  /** Cost units that are there for this member now, as far as known; null without a rate. */
  left(now: number): number | null {
    if (this.#limits.rate === 0) return null
    return Math.floor(
      Math.max(0, Math.min(this.#limits.burst, this.#unitsAt(now) + this.#level - this.#overdrawn)),
    )
  }

  /** Cost units that the fleet has left of the day, as far as known; null without a quota. */
  get leftToday(): number | null {
    if (this.#limits.dailyQuota === 0) return null
    return Math.max(0, this.#quotaLeft + this.#quotaUnits - this.#quotaOverdrawn)
  }

  /** Milliseconds until a refused request of that cost may come again; null when the day has nothing left. */
  wait(reason: UnitsReason, cost: number, now: number): number | null {
    if (reason === 'dailyQuota') return (this.leftToday ?? 0) < cost ? null : SHORTEST_WAIT
    const { rate, burst } = this.#limits
    if (cost > burst) return Number.POSITIVE_INFINITY
    const missing = cost - this.#unitsAt(now) - this.#level - (this.#overdraft - this.#overdrawn)
    return Math.max(SHORTEST_WAIT, (missing * 1000) / rate)
  }

  #refusal(cost: number, now: number): UnitsReason | null {
    const { rate, burst, dailyQuota } = this.#limits
    if (dailyQuota > 0) {
      const missing = cost - this.#quotaUnits
      if (missing > 0) this.#learnLeft(now)
      if (missing > 0 && (this.#isNearEnd || this.#quotaOverdrawn + missing > this.#quotaOverdraft))
        return 'dailyQuota'
    }
    if (rate === 0) return null
    if (cost > burst) return 'rate'
    const missing = cost - this.#unitsAt(now)
    return missing > 0 && this.#overdrawn + missing > this.#overdraft ? 'rate' : null
  }

  #take(cost: number, now: number): void {
    const { rate, dailyQuota } = this.#limits
    if (dailyQuota > 0) {
      const granted = Math.min(cost, this.#quotaUnits)
      this.#quotaUnits -= granted
      this.#quotaOverdrawn += cost - granted
    }
    if (rate === 0) return
    const granted = Math.min(cost, this.#unitsAt(now))
    this.#units = this.#unitsAt(now) - granted
    this.#overdrawn += cost - granted
  }

  /** Without news of the leader, what was counted everywhere says how much can be left. */
  #learnLeft(now: number): void {
    if (now - this.#quotaKnownAt < QUOTA_NEWS_LIFETIME) return
    this.#quotaKnownAt = now
    this.#quotaLeft = Math.min(this.#quotaLeft, Math.max(0, this.#limits.dailyQuota - this.#usedToday()))
  }

  #isLow(now: number): boolean {
    const { rate, dailyQuota } = this.#limits
    if (dailyQuota > 0 && now >= this.#exhaustedUntil) {
      const least = this.#isNearEnd ? this.#lastCost : 0
      if (
        this.#quotaOverdrawn > 0 ||
        this.#quotaUnits <= Math.max(least, (this.#demand * QUOTA_AHEAD) / 2000)
      )
        return true
    }
    if (rate === 0) return false
    return (
      this.#overdrawn > 0 || this.#refused > 0 || this.#unitsAt(now) <= (this.#demand * this.#ahead) / 2000
    )
  }

  #unitsAt(now: number): number {
    return now < this.#goodUntil ? this.#units : 0
  }

  /** Whether so little of the day is left that nothing is used without a grant. */
  get #isNearEnd(): boolean {
    return this.#quotaLeft * 2 <= this.#limits.dailyQuota
  }

  get #ahead(): number {
    return this.#level * 2 > this.#limits.burst ? AHEAD_OF_PLENTY : AHEAD
  }

  get #overdraft(): number {
    return Math.max(this.#limits.rate * OVERDRAFT_SECONDS, this.#dearest)
  }

  get #quotaOverdraft(): number {
    return Math.ceil(this.#limits.dailyQuota * QUOTA_OVERDRAFT_SHARE)
  }

  #measure(now: number): number {
    const elapsed = Math.max(1, now - this.#measuredAt)
    const sudden = (this.#asked * 1000) / elapsed
    const weight = Math.exp(-elapsed / DEMAND_WINDOW)
    this.#demand = Math.max(sudden, this.#demand * weight + sudden * (1 - weight))
    this.#asked = 0
    this.#measuredAt = now
    return this.#demand
  }
}
