import type { Metrics } from '../../observe/metrics.ts'
import { REFUSALS } from '../../p2p/peers/peerStats.ts'
import type { PeerThreadStatus } from '../../rpc/context.ts'
import type { PeerReport } from '../peers/messages.ts'

/** Sources of the metrics of peers. */
export interface PeerMetricsSources {
  /** Last report of the peer thread; null before the first. */
  report(): PeerReport | null
  /** State of the peer thread. */
  status(): PeerThreadStatus
  /** Seconds in which the present peer thread was not idle. */
  busySeconds(): number
}

/** Declares the metrics of peers and synchronisation. */
export function addPeerMetrics(metrics: Metrics, { report, status, busySeconds }: PeerMetricsSources): void {
  const { gauge, samples } = metrics
  const one = (value: number | null | undefined) => (value === null || value === undefined ? [] : [{ value }])
  samples({
    type: 'gauge',
    name: 'peers_count',
    help: 'Connected peers by client and by direction of the connection.',
    collect: () => {
      const counts = new Map<string, { labels: { client: string; direction: string }; value: number }>()
      for (const { client, inbound } of report()?.network.peers ?? []) {
        const labels = { client: clientFamily(client), direction: inbound ? 'in' : 'out' }
        const key = `${labels.client} ${labels.direction}`
        const entry = counts.get(key) ?? { labels, value: 0 }
        counts.set(key, { labels, value: entry.value + 1 })
      }
      return [...counts.values()]
    },
  })
  samples({
    type: 'counter',
    name: 'peer_bytes_total',
    help: 'Bytes exchanged with peers.',
    collect: () => {
      const network = report()?.network
      if (network === undefined) return []
      return [
        { labels: { direction: 'in' }, value: network.bytesIn },
        { labels: { direction: 'out' }, value: network.bytesOut },
      ]
    },
  })
  samples({
    type: 'counter',
    name: 'peer_refusals_total',
    help: 'Connections that were closed before the handshake was complete, by reason.',
    collect: () => {
      const refused = report()?.network.refused
      return refused === undefined
        ? []
        : REFUSALS.map((reason) => ({ labels: { reason }, value: refused[reason] }))
    },
  })
  samples({
    type: 'gauge',
    name: 'peer_score_number',
    help: 'Lowest score of a connected peer.',
    collect: () => {
      const scores = report()?.network.peers.map(({ score }) => score) ?? []
      return scores.length === 0 ? [] : [{ value: Math.min(...scores) }]
    },
  })
  samples({
    type: 'gauge',
    name: 'peer_known_nodes_count',
    help: 'Nodes that discovery knows.',
    collect: () => one(report()?.knownNodes),
  })
  samples({
    type: 'gauge',
    name: 'peer_memory_bytes',
    help: 'Memory in use for peers.',
    collect: () => one(report()?.network.memory.used),
  })
  samples({
    type: 'gauge',
    name: 'clock_difference_seconds',
    help: 'Seconds by which the clock of this machine is ahead of the timestamps of new blocks; negative when it is behind, 0 within tolerance.',
    collect: () => {
      const now = report()
      return now === null ? [] : [{ value: (now.clockAhead ?? 0) - (now.clockBehind ?? 0) }]
    },
  })
  samples({
    type: 'gauge',
    name: 'sync_highest_block_number',
    help: 'Height of the best block that peers are believed to have.',
    collect: () => one(report()?.sync.highestBlock),
  })
  samples({
    type: 'gauge',
    name: 'sync_checked_header_number',
    help: 'Height of the highest header that was checked.',
    collect: () => one(report()?.sync.checkedHeader),
  })
  samples({
    type: 'gauge',
    name: 'sync_stage_info',
    help: 'Stage of synchronisation: 1 for the current one.',
    collect: () => {
      const stage = report()?.sync.stage
      return stage === undefined ? [] : [{ labels: { stage }, value: 1 }]
    },
  })
  samples({
    type: 'gauge',
    name: 'sync_snapshot_state_bytes',
    help: 'Bytes of the state in a snapshot synchronisation: downloaded so far, and the total that peers announce.',
    collect: () => {
      const snapshot = report()?.sync.snapshot
      if (snapshot === undefined) return []
      return [
        { labels: { part: 'downloaded' }, value: snapshot.stateBytes },
        { labels: { part: 'total' }, value: snapshot.stateSize },
      ]
    },
  })
  samples({
    type: 'gauge',
    name: 'sync_blocks_per_second_ratio',
    help: 'Blocks connected per second in the last half minute.',
    collect: () => one(report()?.sync.blocksPerSecond),
  })
  samples({
    type: 'gauge',
    name: 'sync_remaining_seconds',
    help: 'Estimated seconds until the highest block is reached.',
    collect: () => one(report()?.sync.secondsLeft),
  })
  samples({
    type: 'gauge',
    name: 'backfill_first_block_number',
    help: 'Lowest stored block above genesis, while the blocks below a snapshot are backfilled.',
    collect: () => one(report()?.sync.backfill?.firstBlock),
  })
  samples({
    type: 'gauge',
    name: 'backfill_blocks_per_second_ratio',
    help: 'Blocks below a snapshot that were backfilled per second in the last half minute.',
    collect: () => one(report()?.sync.backfill?.blocksPerSecond),
  })
  samples({
    type: 'counter',
    name: 'peer_thread_busy_seconds_total',
    help: 'Time in which the peer thread was not idle.',
    collect: () => (report() === null ? [] : [{ value: busySeconds() }]),
  })
  samples({
    type: 'counter',
    name: 'peer_thread_restarts_total',
    help: 'Starts of the peer thread after it failed.',
    collect: () => [{ value: status().restarts }],
  })
  samples({
    type: 'gauge',
    name: 'peer_thread_failed_info',
    help: '1 while the peer thread has failed and not been restarted, otherwise 0.',
    collect: () => [{ value: status().fault === null ? 0 : 1 }],
  })
  gauge({
    name: 'sync_halted_info',
    help: '1 while something keeps the chain from going on, such as a block that peers have and this node refuses or cannot judge, otherwise 0.',
    collect: (own) => own.set(report()?.halted ? 1 : 0),
  })
}

/** One of three labels for the client name of a peer: peers choose their names, so that these cannot be labels. */
function clientFamily(client: string): string {
  if (/^Rhizome\b/i.test(client)) return 'rhizome'
  return /^(Ethereum\(J\)|RskJ)/i.test(client) ? 'rskj' : 'other'
}
