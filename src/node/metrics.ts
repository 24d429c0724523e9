import type { HeadNotice } from '../filters/events.ts'
import type { AccessFigures } from '../gateway/access/accessAdmission.ts'
import { createMetrics } from '../observe/metrics.ts'
import { addAccessMetrics } from './accessMetrics.ts'
import type { PoolFigures } from './chainHandle.ts'
import { createMiningMetrics, type MiningMetrics } from './miningMetrics.ts'

/** Figures of the node for operators. */
export interface NodeMetrics {
  started(head: number): void
  headChanged(notice: HeadNotice, pool: PoolFigures): void
  /** @param fault why the stores take no writes; null when they do */
  storeChanged(fault: string | null): void
  readonly mining: MiningMetrics
  /** Shows the figures of admission from now on. */
  watchAccess(figures: (most: number) => AccessFigures): void
  /** Answer of `/health`. */
  health(): { readonly ready: boolean; readonly detail: { readonly head: number; readonly store: string } }
  /** Prometheus text. */
  text(): Promise<string>
}

/**
 * Metrics of a node, all in the front thread.
 * @param hashrate hashes per second that miners reported
 */
export function createNodeMetrics(hashrate: () => bigint): NodeMetrics {
  const metrics = createMetrics()
  const { registry, gauge, counter } = metrics
  const headGauge = gauge({ name: 'chain_head_number', help: 'Height of the head.' })
  const blocks = counter({ name: 'chain_blocks_total', help: 'Blocks that joined the canonical chain.' })
  const retracted = counter({ name: 'chain_retracted_blocks_total', help: 'Blocks that left it again.' })
  const pool = gauge({
    name: 'txpool_transactions_count',
    help: 'Transactions in the pool after the last block, by where they wait.',
    labels: ['set'],
  })
  gauge({
    name: 'process_resident_bytes',
    help: 'Memory of the process, pages of the stores that are mapped into it included.',
    collect: (own) => own.set(process.memoryUsage.rss()),
  })
  gauge({
    name: 'front_heap_bytes',
    help: 'JavaScript objects of the front thread.',
    collect: (own) => own.set(process.memoryUsage().heapUsed),
  })
  const writable = gauge({
    name: 'store_writable_info',
    help: 'Whether the stores take writes: 0 while there is no room or the disk fails.',
  })
  writable.set(1)
  let head = 0
  let storeFault: string | null = null
  return {
    mining: createMiningMetrics(metrics, hashrate),
    watchAccess: (figures) => addAccessMetrics(metrics, figures),
    started: (number) => {
      head = number
      headGauge.set(number)
    },
    headChanged: (notice, { pending, queued }) => {
      const parent = notice.retracted.at(-1)
      head = notice.enacted.at(-1)?.number ?? (parent === undefined ? head : parent.number - 1)
      headGauge.set(head)
      blocks.inc(notice.enacted.length)
      retracted.inc(notice.retracted.length)
      pool.set({ set: 'pending' }, pending)
      pool.set({ set: 'queued' }, queued)
    },
    storeChanged: (fault) => {
      storeFault = fault
      writable.set(fault === null ? 1 : 0)
    },
    health: () => ({ ready: storeFault === null, detail: { head, store: storeFault ?? 'writable' } }),
    text: () => registry.metrics(),
  }
}
