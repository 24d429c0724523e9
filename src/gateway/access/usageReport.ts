import type { Json } from '../../rpc/json.ts'
import { type DayUsage, dayText, type MethodUsage } from '../../storage/access/usageRecord.ts'
import { SharedQuestion } from '../../util/sharedQuestion.ts'
import type { AccessAdmission } from './accessAdmission.ts'
import type { AccessBook } from './accessBook.ts'
import type { Caller } from './caller.ts'
import type { Limits } from './limits.ts'

/** Days that a report goes back, today included. */
const DAYS = 30

/** Milliseconds for which a report is given again: whoever asks often does not make the store write more often. */
const LIFETIME = 1000

interface CachedReport {
  readonly until: number
  readonly report: Promise<Json>
}

/** Reports to the owner of a key what was used of it. */
export class UsageReports {
  readonly #admission: AccessAdmission
  readonly #book: AccessBook
  readonly #now: () => number
  /** Writes what was counted, for all who ask meanwhile. */
  readonly #settled: SharedQuestion<void>
  readonly #kept = new Map<string, CachedReport>()

  /** @param now monotonic milliseconds */
  constructor(admission: AccessAdmission, book: AccessBook, now: () => number) {
    this.#admission = admission
    this.#book = book
    this.#now = now
    this.#settled = new SharedQuestion(() => admission.flush())
  }

  /**
   * Limits of a key, what is left of them, and the usage of the last days, as it is on disk; null for a caller without
   * a key. In a fleet with what is known of other members.
   * @throws what the store throws
   */
  async report(caller: Caller): Promise<Json> {
    if (this.#admission.keyOf(caller) === undefined) return null
    const kept = this.#kept.get(caller.name)
    const now = this.#now()
    if (kept !== undefined && kept.until > now) return kept.report
    for (const [id, { until }] of this.#kept) if (until <= now) this.#kept.delete(id)
    const report = this.#create(caller)
    this.#kept.set(caller.name, { until: now + LIFETIME, report })
    report.catch(() => this.#kept.delete(caller.name))
    return report
  }

  async #create(caller: Caller): Promise<Json> {
    await this.#settled.ask()
    const { account } = caller
    const { day, timezone } = this.#admission.day
    const days = this.#book.usage(caller.name, day - DAYS + 1, day)
    const today = days.find((one) => one.day === day)
    return {
      id: caller.name,
      name: this.#admission.keyOf(caller)?.name ?? '',
      timezone,
      day: dayText(day),
      secondsLeft: Math.ceil(this.#admission.day.untilNextDay() / 1000),
      limits: limitsOf(account.limits),
      left: { rate: account.left, dailyQuota: account.leftToday },
      open: { requests: account.running, sockets: account.sockets, subscriptions: account.subscriptions },
      today: sumOf(today),
      days: days.map((one) => ({
        day: dayText(one.day),
        ...sumOf(one),
        methods: [...one.methods].map(([method, usage]) => ({ method, ...fieldsOf(usage) })),
      })),
    }
  }
}

/** Limits of an account; null where there is none. */
function limitsOf(limits: Limits): { readonly [name: string]: Json } {
  return Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit === 0 ? null : limit]))
}

function fieldsOf({ count, cost, bytes, errors, refused }: MethodUsage) {
  return { requests: count, cost, bytes, errors, refused }
}

function sumOf(usage: DayUsage | undefined) {
  const sum = { requests: 0, cost: 0, bytes: 0, errors: 0, refused: 0 }
  for (const { count, cost, bytes, errors, refused } of usage?.methods.values() ?? []) {
    sum.requests += count
    sum.cost += cost
    sum.bytes += bytes
    sum.errors += errors
    sum.refused += refused
  }
  return sum
}
