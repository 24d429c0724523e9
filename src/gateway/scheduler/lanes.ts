import type { ConfiguredLaneLimits as ConfiguredLimits } from '../../config/options/lanes.ts'
import type { Lane } from '../../rpc/defineMethod.ts'

/** Lanes whose methods run in worker threads. */
export type PoolLane = Exclude<Lane, 'inline' | 'chain'>

/** Threads that serve a lane. Slow lanes have their own, so that a trace never holds up a balance. */
export type PoolName = 'reads' | 'calls' | 'scans'

/** Every pool. */
export const POOL_NAMES: readonly PoolName[] = ['reads', 'calls', 'scans']

/** Bounds of one lane. */
export interface LaneLimits {
  readonly pool: PoolName
  /** Requests that may wait for a worker; more are refused with -32005. */
  readonly queue: number
  /** Milliseconds from arrival to the -32011 answer. */
  readonly timeLimit: number
  /** Requests in one message to a worker. */
  readonly batch: number
}

/**
 * Threads and batch sizes. Reads are short: large batches carry the cost of a way to a worker and back, some
 * 100 µs of the front thread. A batch is work for some milliseconds by what requests of the same clients took
 * (`laneQueue.ts`); these bounds are for requests that take longer than those before them, whose whole batch waits.
 * Scans and traces differ most. Revise with `bench -- rpc --sections open` when p99 of a lane grows with them.
 */
const WORKERS: Readonly<Record<PoolLane, { readonly pool: PoolName; readonly batch: number }>> = {
  read: { pool: 'reads', batch: 128 },
  evm: { pool: 'calls', batch: 16 },
  proof: { pool: 'calls', batch: 16 },
  scan: { pool: 'scans', batch: 8 },
  trace: { pool: 'scans', batch: 8 },
}

/** Lanes with their configured limits. */
export function createLanes(
  configured: Readonly<Record<PoolLane, ConfiguredLimits>>,
): Readonly<Record<PoolLane, LaneLimits>> {
  const lane = (name: PoolLane): LaneLimits => {
    const { queue, timeout } = configured[name]
    return { ...WORKERS[name], queue, timeLimit: timeout * 1000 }
  }
  return {
    read: lane('read'),
    evm: lane('evm'),
    scan: lane('scan'),
    proof: lane('proof'),
    trace: lane('trace'),
  }
}
