import { randomBytes } from 'node:crypto'
import {
  CONNECTION_TIMINGS,
  type ConnectionOptions,
  type ConnectionTimings,
} from '../connection/connectionOptions.ts'
import { accept, dial } from '../connection/transport.ts'
import { RHIZOME_CAPABILITY, RSK_CAPABILITY, SNAP_CAPABILITY } from '../messages/hello.ts'
import type { NodeKey } from '../wire/curve.ts'
import type { PeerTransport } from './ports.ts'

/** Who this node is to others. */
export interface RlpxIdentity {
  readonly key: NodeKey
  /** What it calls itself. */
  readonly client: string
  /** Whether it announces `snap`/1. */
  readonly snap: boolean
  /** IP address that connections go out from; without it the system chooses. */
  readonly localAddress?: string
  /** Milliseconds that go on evenly. */
  readonly clock: () => number
  readonly timings?: Partial<ConnectionTimings>
}

/** Connections over RLPx. @returns makes them for a node that listens on a port, 0 for one that does not */
export function createRlpxTransport(identity: RlpxIdentity): (listenPort: number) => PeerTransport {
  return (listenPort) => {
    const options: ConnectionOptions = {
      key: identity.key,
      client: identity.client,
      capabilities: [RSK_CAPABILITY, RHIZOME_CAPABILITY, ...(identity.snap ? [SNAP_CAPABILITY] : [])],
      listenPort,
      localAddress: identity.localAddress,
      random: randomBytes,
      clock: identity.clock,
      timings: { ...CONNECTION_TIMINGS, ...identity.timings },
    }
    return {
      dial: (target, signal) => dial(target, options, signal),
      accept: (socket, signal) => accept(socket, options, signal),
    }
  }
}
