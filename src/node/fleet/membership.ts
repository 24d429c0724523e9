import type { MessagePort } from 'node:worker_threads'
import type { FilterOpener } from '../../filters/frontEvents.ts'
import type { FleetStatus } from '../../fleet/interface.ts'
import { type AccessSharing, OWN_ACCESS } from '../../gateway/access/othersUse.ts'
import type { Metrics } from '../../observe/metrics.ts'
import type { PeerHandle } from '../peers/peerHandle.ts'
import type { Service } from '../service.ts'

/** The parts of a node for other members of a fleet. */
export interface MembershipParts {
  /** Module that the fleet thread begins with. */
  readonly entry: URL
  readonly service: Service
  /** null for a node without peers. */
  readonly peers: PeerHandle | null
  /** A new port at whose other end the chain thread serves `FleetChainService`. */
  connectChain(): MessagePort
  /** Reason why this node cannot take part in what the others do; empty when it can. */
  reasons(): readonly string[]
}

/** The behaviour of several nodes as one service; a node alone has {@link ALONE}. */
export interface Membership {
  /** The shared side of API keys and their use. */
  readonly access: AccessSharing
  /** Makes the filters: those of this node, and of others by their ids. */
  readonly filters: FilterOpener
  /** The status that others see of this fleet; undefined for a node alone. */
  status(): FleetStatus | undefined
  addMetrics(metrics: Metrics): void
  start(parts: MembershipParts): Promise<void>
  /** Others are no longer to count on this node. */
  drain(): Promise<void>
  close(): Promise<void>
}

/** A node that belongs to nothing. */
export const ALONE: Membership = {
  access: OWN_ACCESS,
  filters: (open) => open(),
  status: () => undefined,
  addMetrics: () => undefined,
  start: async () => undefined,
  drain: async () => undefined,
  close: async () => undefined,
}
