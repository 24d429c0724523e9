import type { Config } from '../../config/schema.ts'
import type { StateStore } from '../../native/stateStore.ts'
import type { Logger } from '../../observe/logger.ts'
import type { Tracing } from '../../observe/tracing.ts'
import type { ChainTarget, NodeStatus } from '../../rpc/context.ts'
import type { ChainHandle } from '../chainThread/chainHandle.ts'
import type { Membership } from '../fleet/membership.ts'
import type { ResolvedFork } from '../fork/resolveFork.ts'
import type { FrontMining } from '../frontMining.ts'
import type { NodeMetrics } from '../metrics/nodeMetrics.ts'
import type { Opened, Part } from '../opened.ts'
import type { ChainOptions } from '../options/chainOptions.ts'
import type { Service } from '../service.ts'
import type { NodeReports } from '../terminal/openReports.ts'
import type { ThreadContext } from '../threadContext.ts'

/** The chain thread, and how it makes blocks. */
export interface ChainPart {
  readonly handle: ChainHandle
  readonly options: ChainOptions
  /** The store that all threads share: it closes for all of them at once, when the chain thread has written its last. */
  readonly stateStore: StateStore
  /** Settings for the making of blocks now. */
  readonly production: Pick<NodeStatus, 'coinbase' | 'priceTarget' | 'mining'>
}

/**
 * Parts that earlier ones reach, each once it is open: the chain thread reports to the service, whose requests it runs,
 * and metrics are there before what they measure.
 */
export interface ReachableParts {
  readonly chain: Part<ChainPart>
  /** Never open where no miners are served. */
  readonly mining: Part<FrontMining>
  readonly stores: Part<ThreadContext>
  readonly service: Part<Service>
}

/** How a node takes over from another one, and is followed by one. */
export interface Handover {
  /** Called right before the node listens. */
  readonly beforeListening: () => void
  /** Goes on with another chain; null for one that is no fork. */
  readonly replaceChain: (target: ChainTarget | null) => Promise<void>
}

/** The parts that every builder has. */
export interface NodeScope {
  readonly parts: Opened
  readonly reach: ReachableParts
  /** With which the node was started. */
  readonly config: Config
  /** The configuration that it has by now; changed by a reload. */
  readonly live: { now: Config }
  /** The fork that the chain is; null where it is none. */
  readonly fork: ResolvedFork | null
  readonly handover: Handover
  /** Version of the program. */
  readonly version: string
  readonly logger: Logger
  /** For what the node does as a whole. */
  readonly log: Logger
  /** null while it is off. */
  readonly tracing: Tracing | null
  readonly metrics: NodeMetrics
  readonly membership: Membership
  /** Reports of executions for developers. */
  readonly developer: NodeReports
}
