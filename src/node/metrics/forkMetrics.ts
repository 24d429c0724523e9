import type { SharedStats } from '../../fork/sharedStats.ts'
import type { StateStore } from '../../native/stateStore.ts'
import type { Metrics } from '../../observe/metrics.ts'

/** Sources of the figures of a fork. */
export interface ForkMetricsSources {
  readonly stats: SharedStats
  /** null until the stores are open. */
  state(): StateStore | null
}

/** Declares the metrics of a fork and of the network that it is one of. */
export function addForkMetrics({ samples }: Metrics, { stats, state }: ForkMetricsSources): void {
  samples({
    type: 'counter',
    name: 'fork_requests_total',
    help: 'Requests to the network that the chain is a fork of, repeated ones included.',
    collect: () => [{ value: stats.get('requests') }],
  })
  samples({
    type: 'counter',
    name: 'fork_repeated_requests_total',
    help: 'Requests to that network that were sent again, after an error or a limit.',
    collect: () => [{ value: stats.get('retries') }],
  })
  samples({
    type: 'counter',
    name: 'fork_received_bytes_total',
    help: 'Bytes of answers of that network.',
    collect: () => [{ value: stats.get('bytes') }],
  })
  samples({
    type: 'counter',
    name: 'fork_reads_total',
    help: 'Reads of state and old blocks of that network, by where the answer was: in memory, on disk from an earlier read, or nowhere yet.',
    labels: ['from'],
    collect: () => {
      const reads = state()?.forkStats()
      if (reads === null || reads === undefined) return []
      const disk = stats.get('kept')
      return [
        { labels: { from: 'memory' }, value: reads.hits },
        { labels: { from: 'disk' }, value: disk },
        { labels: { from: 'network' }, value: Math.max(0, reads.misses - disk) },
      ]
    },
  })
  samples({
    type: 'counter',
    name: 'fork_waited_seconds_total',
    help: 'Time that threads waited for answers of that network, summed up.',
    collect: () => {
      const reads = state()?.forkStats()
      return reads === null || reads === undefined ? [] : [{ value: reads.waited }]
    },
  })
}
