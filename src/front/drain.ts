import { setTimeout as sleep } from 'node:timers/promises'
import { RpcError } from '../rpc/errors.ts'
import type { FrontMetrics } from './frontMetrics.ts'
import type { Front } from './server.ts'

/** Milliseconds that the end may take. */
export interface DrainLimits {
  /** Requests are still taken for so long: whoever sends them on has to learn that this node stops. */
  readonly delay: number
  /** Time in which requests under way may be answered; then they are answered with an error. */
  readonly timeout: number
}

/** The parts that take part in the end. */
export interface DrainParts {
  readonly front: Front
  readonly metrics: FrontMetrics
  /** Ends with an error everything that was asked and has no answer. */
  readonly abandon: (error: RpcError) => void
}

/** Time for the last errors to reach their clients, milliseconds. */
const LAST_ANSWERS_MILLISECONDS = 500

/**
 * Serves for the delay, leaves, takes no further connections and resolves when everything that was asked has its
 * answer, at the latest after the limits. Connections are still to be closed.
 * @param leave what ends with the delay; it is waited for
 */
export async function drain(
  { front, metrics, abandon }: DrainParts,
  { delay, timeout }: DrainLimits,
  leave: () => Promise<void>,
): Promise<void> {
  if (delay > 0) await sleep(delay)
  await leave()
  front.stopAccepting()
  if (await isIdleWithin(metrics, timeout)) return
  abandon(new RpcError('stopping'))
  await isIdleWithin(metrics, LAST_ANSWERS_MILLISECONDS)
}

async function isIdleWithin(metrics: FrontMetrics, milliseconds: number): Promise<boolean> {
  const stop = new AbortController()
  const late = sleep(milliseconds, false, { signal: stop.signal }).catch(() => false)
  const isIdle = await Promise.race([metrics.idle().then(() => true), late])
  stop.abort()
  return isIdle
}
