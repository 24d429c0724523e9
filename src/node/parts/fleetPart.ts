import type { PeerHandle } from '../peers/peerHandle.ts'
import type { Readiness } from '../readiness.ts'
import type { Service } from '../service.ts'
import type { ChainPart, NodeScope } from './nodeScope.ts'

/** The parts of a node for the other members of its fleet. */
export interface FleetPartOptions {
  /** Module that the fleet thread begins with. */
  readonly entry: URL
  readonly chain: ChainPart
  readonly service: Service
  /** null for a node without peers. */
  readonly peers: PeerHandle | null
  readonly readiness: Readiness
}

/** Starts the fleet thread; a node alone has none. */
export async function openFleet(
  { membership, parts }: NodeScope,
  { entry, chain, service, peers, readiness }: FleetPartOptions,
): Promise<void> {
  await parts.open({
    open: () =>
      membership.start({
        entry,
        service,
        peers,
        connectChain: () => chain.handle.connectFleet(),
        reasons: () => readiness.lasting(),
      }),
    close: () => membership.close(),
  })
}
