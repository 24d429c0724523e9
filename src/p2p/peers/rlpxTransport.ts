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

/** Announced identity of this node. */
export interface RlpxIdentity {
  readonly key: NodeKey
  /** Name of its client. */
  readonly client: string
  /** True when it announces `snap`/1. */
  readonly snap: boolean
  /** Local IP address of outgoing connections; chosen by the system by default. */
  readonly localAddress?: string
  /** Monotonic clock, milliseconds. */
  readonly clock: () => number
  readonly timings?: Partial<ConnectionTimings>
}

/** A transport over RLPx. @returns a factory for a node that listens on a port, 0 for one that does not */
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
