import type { Capability } from '../messages/hello.ts'
import type { NodeKey } from '../wire/curve.ts'
import type { Random } from '../wire/handshake.ts'

/** How long a connection waits for what, milliseconds. */
export interface ConnectionTimings {
  /** For TCP to connect. */
  readonly connect: number
  /** For auth, ack and both HELLO together. */
  readonly handshake: number
  /** Between one PING and the next. */
  readonly ping: number
  /** For the answer to a PING. */
  readonly pong: number
  /** For any byte at all. */
  readonly idle: number
  /** For the socket to take something of what was written. */
  readonly stall: number
  /** For the other end to close after DISCONNECT. */
  readonly linger: number
}

/** Those of the reference where it has them (p2p.md §3), and what it waits for without an end. */
export const CONNECTION_TIMINGS: ConnectionTimings = {
  connect: 2000,
  handshake: 5000,
  ping: 5000,
  pong: 60_000,
  idle: 300_000,
  stall: 120_000,
  linger: 2000,
}

/** What a node needs to connect and to be connected to. */
export interface ConnectionOptions {
  readonly key: NodeKey
  /** What it calls itself. */
  readonly client: string
  /** What it announces, `rsk` among them. */
  readonly capabilities: readonly Capability[]
  /** TCP port that it listens on, as it tells others. */
  readonly listenPort: number
  /** IP address that connections go out from; without it the system chooses. */
  readonly localAddress?: string | undefined
  readonly random: Random
  /** Milliseconds that go on evenly. */
  readonly clock: () => number
  readonly timings: ConnectionTimings
}
