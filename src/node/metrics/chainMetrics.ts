import type { HeadNotice } from '../../filters/events.ts'
import type { Metrics } from '../../observe/metrics.ts'
import type { HeadStats } from '../chainThread/chainListener.ts'
import type { PoolStats } from '../chainThread/messages.ts'

/** Upper bounds of the depth of a reorganisation, blocks. */
const DEPTHS = [1, 2, 3, 5, 10, 20, 50, 100, 500]

const IMPORT_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Metrics of the chain and the transaction pool. */
export interface ChainMetrics {
  started(head: number, timestamp: number, pool: PoolStats): void
  headChanged(notice: HeadNotice, pool: PoolStats, stats: HeadStats): void
  /** @param fault why the stores take no writes; null when they do */
  storeChanged(fault: string | null): void
  /** Reason why the stores take no writes; null when they do. */
  readonly storeFault: string | null
  /** Height of the head. */
  readonly head: number
  /** Seconds between the time of the head and now. */
  headAge(): number
}

/**
 * Declares the metrics of chain and pool.
 * @param busySeconds time in which the chain thread was not idle
 * @param now milliseconds since 1970
 */
export function createChainMetrics(
  metrics: Metrics,
  busySeconds: () => number,
  now: () => number = Date.now,
): ChainMetrics {
  const { gauge, counter, histogram, samples } = metrics
  const headGauge = gauge({ name: 'chain_head_number', help: 'Height of the head.' })
  const blocks = counter({ name: 'chain_blocks_total', help: 'Blocks that joined the canonical chain.' })
  const retracted = counter({
    name: 'chain_retracted_blocks_total',
    help: 'Blocks that left the canonical chain.',
  })
  const reorgs = histogram({
    name: 'chain_reorganisation_depth_count',
    help: 'Blocks that left the canonical chain in a reorganisation.',
    buckets: DEPTHS,
  })
  const transactions = counter({
    name: 'chain_transactions_total',
    help: 'Transactions of the blocks that joined the canonical chain.',
  })
  const gas = counter({
    name: 'chain_gas_used_total',
    help: 'Gas used by the blocks that joined the canonical chain.',
  })
  const imports = histogram({
    name: 'chain_import_seconds',
    help: 'Time to validate, execute and store the blocks of one commit that changed the head.',
    buckets: IMPORT_BUCKETS,
  })
  const pool = gauge({
    name: 'txpool_transactions_count',
    help: 'Transactions in the pool after the last block: pending (executable) or queued (behind a nonce gap).',
    labels: ['set'],
  })
  samples({
    type: 'counter',
    name: 'chain_thread_busy_seconds_total',
    help: 'Time in which the chain thread was not idle.',
    collect: () => [{ value: busySeconds() }],
  })
  const writable = gauge({
    name: 'store_writable_info',
    help: 'Whether the stores take writes: 0 while there is no room or the disk fails.',
  })
  writable.set(1)
  let storeFault: string | null = null
  let head = 0
  let timestamp = 0
  const headAge = () => Math.max(0, now() / 1000 - timestamp)
  gauge({
    name: 'chain_head_age_seconds',
    help: 'Seconds between the time of the head and now.',
    collect: (own) => own.set(headAge()),
  })
  const poolChanged = ({ pending, queued }: PoolStats) => {
    pool.set({ set: 'pending' }, pending)
    pool.set({ set: 'queued' }, queued)
  }
  return {
    started: (number, time, sizes) => {
      head = number
      timestamp = time
      headGauge.set(number)
      poolChanged(sizes)
    },
    headChanged: (notice, sizes, stats) => {
      const parent = notice.retracted.at(-1)
      head = notice.enacted.at(-1)?.number ?? (parent === undefined ? head : parent.number - 1)
      timestamp = stats.timestamp
      headGauge.set(head)
      blocks.inc(notice.enacted.length)
      retracted.inc(notice.retracted.length)
      // A rewind of a development chain brings no other branch.
      if (notice.retracted.length > 0 && notice.enacted.length > 0) reorgs.observe(notice.retracted.length)
      transactions.inc(stats.transactions)
      gas.inc(stats.gas)
      if (stats.seconds > 0) imports.observe(stats.seconds)
      poolChanged(sizes)
    },
    storeChanged: (fault) => {
      storeFault = fault
      writable.set(fault === null ? 1 : 0)
    },
    get storeFault() {
      return storeFault
    },
    get head() {
      return head
    },
    headAge,
  }
}
