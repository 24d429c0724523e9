import type { LaneLimits as ConfiguredLimits } from '../config/options/lanes.ts'
import type { Lane } from '../rpc/defineMethod.ts'

/** Lanes whose methods run in worker threads. */
export type PoolLane = Exclude<Lane, 'inline' | 'chain'>

/** Which threads serve a lane. Slow lanes have their own, so that a trace never holds up a balance. */
export type PoolName = 'reads' | 'calls' | 'scans'

/** Every pool. */
export const POOL_NAMES: readonly PoolName[] = ['reads', 'calls', 'scans']

/** Bounds of one lane. */
export interface LaneLimits {
  readonly pool: PoolName
  /** Requests that may be at the workers at the same time. */
  readonly permits: number
  /** Requests that may wait for a permit; more are refused with -32005. */
  readonly queue: number
  /** Milliseconds from arrival to the -32011 answer. */
  readonly timeLimit: number
  /** Requests in one message to a worker. */
  readonly batch: number
}

/**
 * Threads and batch sizes. Reads are short: large batches carry the cost of waking a worker (about that
 * of ten reads). Calls, scans, proofs and traces can be long: small batches let the answers of short
 * ones go early. Revise with `bench/load` when p99 of a lane grows with its batch size.
 */
const PLACES: Readonly<Record<PoolLane, { readonly pool: PoolName; readonly batch: number }>> = {
  read: { pool: 'reads', batch: 128 },
  evm: { pool: 'calls', batch: 16 },
  proof: { pool: 'calls', batch: 4 },
  scan: { pool: 'scans', batch: 1 },
  trace: { pool: 'scans', batch: 1 },
}

/** Lanes with their configured limits. */
export function createLanes(
  configured: Readonly<Record<PoolLane, ConfiguredLimits>>,
): Readonly<Record<PoolLane, LaneLimits>> {
  const lane = (name: PoolLane): LaneLimits => {
    const { permits, queue, timeout } = configured[name]
    return { ...PLACES[name], permits, queue, timeLimit: timeout * 1000 }
  }
  return {
    read: lane('read'),
    evm: lane('evm'),
    scan: lane('scan'),
    proof: lane('proof'),
    trace: lane('trace'),
  }
}
