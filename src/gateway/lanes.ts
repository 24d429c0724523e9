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
 * Reads are short: large batches carry the cost of waking a worker (about that of ten reads).
 * Calls, scans, proofs and traces can be long: small batches keep the answers of short ones early.
 * Revise with `bench/load` when p99 of a lane grows with its batch size.
 */
export const DEFAULT_LANES: Readonly<Record<PoolLane, LaneLimits>> = {
  read: { pool: 'reads', permits: 4096, queue: 16384, timeLimit: 5000, batch: 128 },
  evm: { pool: 'calls', permits: 1024, queue: 8192, timeLimit: 5000, batch: 16 },
  proof: { pool: 'calls', permits: 64, queue: 512, timeLimit: 5000, batch: 4 },
  scan: { pool: 'scans', permits: 64, queue: 512, timeLimit: 30_000, batch: 1 },
  trace: { pool: 'scans', permits: 16, queue: 128, timeLimit: 60_000, batch: 1 },
}
