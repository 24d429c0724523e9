import type { MethodDefinition } from '../../rpc/defineMethod.ts'
import { type KeyLimits, LIMIT_NAMES, type LimitName } from '../../storage/access/keyRecord.ts'

/** Limits as they hold: cost units a second, at once and a day, requests, WebSockets and subscriptions; 0 is none. */
export type Limits = Readonly<Record<LimitName, number>>

/** No limits. */
export const UNLIMITED: Limits = {
  rate: 0,
  burst: 0,
  dailyQuota: 0,
  concurrency: 0,
  sockets: 0,
  subscriptions: 0,
}

/** Cost units of what is no method, and of a body that is no request: somebody has to read it. */
export const UNKNOWN_COST = 1

/**
 * Seconds of the rate that make the default burst. It is at least the cost of the most expensive method, so that this can be
 * asked for once.
 */
const DEFAULT_BURST_SECONDS = 2

/** True when any limit holds. */
export function isLimited(limits: Limits): boolean {
  return LIMIT_NAMES.some((name) => limits[name] > 0)
}

/**
 * The limits of a key, or of keyless use.
 * @param own null where the defaults hold
 * @param maxCost cost units of the most expensive method: the least default burst of a rate
 */
export function resolveLimits(own: KeyLimits, defaults: Limits, maxCost: number): Limits {
  const { rate, burst, ...rest } = Object.fromEntries(
    LIMIT_NAMES.map((name) => [name, own[name] ?? defaults[name]]),
  ) as Record<LimitName, number>
  const least = Math.max(maxCost, rate * DEFAULT_BURST_SECONDS)
  return { rate, burst: rate > 0 && burst === 0 ? least : burst, ...rest }
}

/** Cost units of the most expensive of some methods. */
export function maxCost(methods: readonly MethodDefinition[]): number {
  return methods.reduce((most, { cost }) => Math.max(most, cost), UNKNOWN_COST)
}
