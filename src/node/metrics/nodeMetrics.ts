import type { AccessStats } from '../../gateway/access/accessAdmission.ts'
import { createMetrics, type Metrics } from '../../observe/metrics.ts'
import { createProcessMetrics } from '../../observe/processMetrics.ts'
import type { Service } from '../service.ts'
import { addAccessMetrics } from './accessMetrics.ts'
import { type ChainMetrics, createChainMetrics } from './chainMetrics.ts'
import { addForkMetrics, type ForkMetricsSources } from './forkMetrics.ts'
import { createMiningMetrics, type MiningMetrics } from './miningMetrics.ts'
import { addPeerMetrics, type PeerMetricsSources } from './peerMetrics.ts'
import { createServiceMetrics } from './serviceMetrics.ts'
import { createStoreMetrics, type OpenStores } from './storeMetrics.ts'

/** Sources of the metrics of a node: null until a part is started. */
export interface MetricsSources {
  /** Version of the program. */
  readonly version: string
  /** Entries of the log that could not be written. */
  lostLogEntries(): number
  /** Hashes per second that miners reported. */
  hashrate(): bigint
  service(): Service | null
  stores(): OpenStores | null
  /** Seconds in which the chain thread was not idle. */
  chainBusySeconds(): number
}

/** Metrics of a node. */
export interface NodeMetrics {
  readonly chain: ChainMetrics
  readonly mining: MiningMetrics
  /** Exports the metrics of peers from now on. */
  watchPeers(sources: PeerMetricsSources): void
  /** Exports the metrics of the network that the chain is a fork of from now on. */
  watchFork(sources: ForkMetricsSources): void
  /** Exports the metrics of what the node belongs to from now on. */
  watchMembership(membership: { addMetrics(metrics: Metrics): void }): void
  /** Exports the metrics of admission from now on. */
  watchAccess(stats: (most: number) => AccessStats): void
  /** The metrics in the Prometheus text format. */
  text(): Promise<string>
  /** Stops observing the event loop and garbage collection of this thread. */
  close(): void
}

/** Creates the metrics of a node. All are collected in the front thread. */
export function createNodeMetrics(sources: MetricsSources): NodeMetrics {
  const metrics = createMetrics()
  const close = createProcessMetrics(metrics, sources.version, () => sources.lostLogEntries())
  const chain = createChainMetrics(metrics, () => sources.chainBusySeconds())
  createServiceMetrics(metrics, () => sources.service())
  createStoreMetrics(metrics, () => sources.stores())
  return {
    watchPeers: (peers) => addPeerMetrics(metrics, peers),
    watchFork: (fork) => addForkMetrics(metrics, fork),
    watchMembership: (membership) => membership.addMetrics(metrics),
    watchAccess: (stats) => addAccessMetrics(metrics, stats),
    chain,
    mining: createMiningMetrics(metrics, () => sources.hashrate()),
    text: () => metrics.registry.metrics(),
    close,
  }
}
