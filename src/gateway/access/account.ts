import { RpcError } from '../../rpc/errors.ts'
import { SecondCount } from '../../util/secondCount.ts'
import { ClientWork } from '../scheduler/clientWork.ts'
import type { Limits } from './limits.ts'
import type { MemoryAccount } from './memoryAccount.ts'
import { TokenBucket } from './tokenBucket.ts'

/** The limit that a request is over. */
export type LimitReason = 'rate' | 'dailyQuota' | 'concurrency' | 'sockets' | 'socketMemory'

/** Reason why requests are refused, with the index of each in counts. */
export const LIMIT_REASONS: readonly LimitReason[] = [
  'rate',
  'dailyQuota',
  'concurrency',
  'sockets',
  'socketMemory',
]

/** Cost units of a day: what was counted here, and by other members of a fleet. */
export interface DayUse {
  readonly own: number
  readonly others: number
}

const UNUSED: DayUse = { own: 0, others: 0 }

/** The clock that all accounts share. */
export interface AccountClock {
  /** Monotonic milliseconds. */
  now(): number
  /** Milliseconds until the day of the quota ends. */
  untilNextDay(): number
  /** The day of the quota; accounts that are not kept begin a new one at zero. */
  readonly day: number
}

/** Path at which the owner of an account learns more. */
const SEE = 'GET /<API_KEY>/usage'

/** Refusals in a second after which further ones are no accident. */
const MANY_REFUSALS = 50

/** WebSockets that are closed in a second for the memory of their client, after which it opens no others. */
const MANY_RECLAIMED = 8

/** An answer to who was refused. */
interface Refusal {
  readonly reason: LimitReason
  readonly cost: number
  /** Millisecond of the clock. */
  readonly at: number
  readonly error: RpcError
}

/** The use of limits by one key, or by one address without a key. Every check is a few additions. */
export class Account {
  /** Id of the key; of keyless use `-`. */
  readonly id: string
  limits: Limits
  /** The memory that the process keeps for it. */
  readonly memory: MemoryAccount
  /** Cost units used on {@link day}, by whomever. */
  used = 0
  day: number
  /** Of them, those that others used. */
  othersUse = 0
  /** Own use of the day as it was reported to others last. */
  reportedUse = 0
  /** Requests that wait for their answer, the newest one included. */
  running = 0
  /** WebSockets that are open. */
  sockets = 0
  /** Subscriptions of all of them. */
  subscriptions = 0
  /** Requests that were over a limit, all reasons together. */
  refused = 0
  /** True when it went on and on after it was refused in this second. */
  isFlooding = false
  /** Its use of the front thread. */
  readonly work = new ClientWork()
  #lastRefusal: Refusal | null = null
  readonly #refusals = new SecondCount()
  readonly #reclaimed = new SecondCount()
  readonly #clock: AccountClock
  #bucket: TokenBucket | null
  /** Cost of the last request that was refused for its rate; the bucket must have it first. */
  #wanted = 0

  constructor(id: string, limits: Limits, clock: AccountClock, memory: MemoryAccount) {
    this.id = id
    this.memory = memory
    this.limits = limits
    this.#clock = clock
    this.day = clock.day
    this.#bucket = limits.rate > 0 ? new TokenBucket(limits.rate, limits.burst, clock.now()) : null
  }

  /** Takes the cost of a request from the limits; the reason when one of them is over. Nothing is taken then. */
  charge(cost: number): LimitReason | null {
    const reason = this.#take(cost)
    if (reason === null) return null
    if (reason === 'rate') this.#wanted = cost
    return this.#refuse(reason)
  }

  /** Takes the cost of several requests; false, and nothing is taken or counted, where one of them may be over a limit. */
  chargeAll(cost: number): boolean {
    return this.#take(cost) === null
  }

  #take(cost: number): LimitReason | null {
    const { concurrency, dailyQuota } = this.limits
    if (concurrency > 0 && this.running > concurrency) return 'concurrency'
    if (dailyQuota > 0) {
      if (this.day !== this.#clock.day) this.beginDay(this.#clock.day)
      if (this.used + cost > dailyQuota) return 'dailyQuota'
    }
    if (this.#bucket !== null && !this.#bucket.take(cost, this.#clock.now())) return 'rate'
    this.used += cost
    return null
  }

  /** Reason why it may not open one more WebSocket; null when it may. */
  refuseSocket(): LimitReason | null {
    const { sockets } = this.limits
    if (this.#reclaimed.at(this.#clock.now()) > MANY_RECLAIMED) return this.#refuse('socketMemory')
    return sockets === 0 || this.sockets < sockets ? null : this.#refuse('sockets')
  }

  /** One of its WebSockets was closed for its memory. */
  reclaimedSocket(): void {
    this.#reclaimed.add(this.#clock.now())
  }

  /** It would have had too much in memory: counted as over a limit, so that going on and on is noticed. */
  refusedMemory(): void {
    this.#countRefusal()
  }

  /** Another day, of which so much is used already. */
  beginDay(day: number, { own, others }: DayUse = UNUSED): void {
    this.day = day
    this.used = own + others
    this.othersUse = others
    this.reportedUse = 0
  }

  /**
   * Other members of a fleet have used so much of it on a day by now.
   * @param isLate whether they may have done so long ago: then it empties the rate at most
   */
  usedByOthers(day: number, cost: number, isLate: boolean): void {
    if (day !== this.day || cost <= this.othersUse) return
    const more = cost - this.othersUse
    this.othersUse = cost
    this.used += more
    this.#bucket?.drain(more, this.#clock.now(), isLate)
  }

  /**
   * Cost units that were used here on {@link day}, when they have changed since they were reported to others; else, and
   * where no limit holds, null.
   * @param isAll whether others forgot what was reported to them
   */
  takeChange(isAll = false): number | null {
    if (isAll) this.reportedUse = 0
    const { rate, dailyQuota } = this.limits
    const own = this.used - this.othersUse
    if ((rate === 0 && dailyQuota === 0) || own === this.reportedUse) return null
    this.reportedUse = own
    return own
  }

  /** Other limits from now on. */
  changeLimits(limits: Limits): void {
    const { rate, burst } = limits
    const now = this.#clock.now()
    if (rate === 0) this.#bucket = null
    else if (this.#bucket === null) this.#bucket = new TokenBucket(rate, burst, now)
    else if (rate !== this.limits.rate || burst !== this.limits.burst) this.#bucket.change(rate, burst, now)
    this.limits = limits
  }

  /** Cost units that the rate gives now; null without a rate. */
  get left(): number | null {
    return this.#bucket?.left(this.#clock.now()) ?? null
  }

  /** Cost units that are left of the day; null without a quota. */
  get leftToday(): number | null {
    const { dailyQuota } = this.limits
    if (dailyQuota === 0) return null
    return Math.max(0, dailyQuota - (this.day === this.#clock.day ? this.used : 0))
  }

  /** The answer to a request that was refused; those within a millisecond have the same. @param cost of the request */
  refusal(reason: LimitReason, cost: number): RpcError {
    const now = Math.floor(this.#clock.now())
    const last = this.#lastRefusal
    if (last !== null && last.reason === reason && last.cost === cost && last.at === now) return last.error
    const error = this.#createRefusal(reason, cost)
    this.#lastRefusal = { reason, cost, at: now, error }
    return error
  }

  #createRefusal(reason: LimitReason, cost: number): RpcError {
    const retryAfter = this.#waitFor(reason, cost)
    const data = {
      limit: reason,
      ...(Number.isFinite(retryAfter) ? { retryAfter: Math.ceil(retryAfter) / 1000 } : {}),
      see: SEE,
    }
    return new RpcError('limited', this.#describe(reason, cost), { data })
  }

  /** Seconds after which a client should come back that was refused. */
  retryAfter(): number {
    const isOut = this.leftToday !== null && (this.leftToday ?? 0) < Math.max(1, this.#wanted)
    const wait = isOut ? this.#clock.untilNextDay() : this.#waitFor('rate', this.#wanted)
    return Number.isFinite(wait) ? Math.max(1, Math.ceil(wait / 1000)) : 1
  }

  /** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11); null without such limits. */
  rateLimitHeaders(): { readonly policy: string; readonly state: string } | null {
    const { rate, burst, dailyQuota } = this.limits
    const policies: string[] = []
    const states: string[] = []
    const { left, leftToday } = this
    if (left !== null) {
      policies.push(`"rate";q=${burst};w=${Math.max(1, Math.ceil(burst / rate))}`)
      states.push(`"rate";r=${left};t=${Math.ceil((burst - left) / rate)}`)
    }
    if (leftToday !== null) {
      policies.push(`"daily";q=${dailyQuota};w=86400`)
      states.push(`"daily";r=${leftToday};t=${Math.ceil(this.#clock.untilNextDay() / 1000)}`)
    }
    return policies.length === 0 ? null : { policy: policies.join(', '), state: states.join(', ') }
  }

  #refuse(reason: LimitReason): LimitReason {
    this.#countRefusal()
    return reason
  }

  #countRefusal(): void {
    this.refused += 1
    this.isFlooding = this.#refusals.add(this.#clock.now()) > MANY_REFUSALS
  }

  /** Milliseconds after which a refused request of that cost may come again. */
  #waitFor(reason: LimitReason, cost: number): number {
    const now = this.#clock.now()
    if (reason === 'rate') return this.#bucket?.wait(cost, now) ?? 0
    return reason === 'dailyQuota' ? this.#clock.untilNextDay() : 1000
  }

  #describe(reason: LimitReason, cost: number): string {
    const { rate, burst, dailyQuota, concurrency, sockets } = this.limits
    switch (reason) {
      case 'rate':
        return cost > burst
          ? `limit exceeded: the method costs ${cost} units, more than the ${burst} that are ever there at once`
          : `limit exceeded: ${rate} cost units a second, ${burst} at once`
      case 'dailyQuota':
        return `limit exceeded: ${dailyQuota} cost units a day`
      case 'concurrency':
        return `limit exceeded: ${concurrency} requests at once`
      case 'sockets':
        return `limit exceeded: ${sockets} WebSockets at once`
      case 'socketMemory':
        return 'limit exceeded: WebSockets were closed for the memory of their client (--client-memory), try again later'
    }
  }
}
