import type { Capability } from '../messages/hello.ts'
import type { NodeKey } from '../wire/curve.ts'
import type { Random } from '../wire/handshake.ts'

/** Timeouts of a connection, milliseconds. */
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
  /** For the socket to send anything of what was written. */
  readonly stall: number
  /** For the other end to close after DISCONNECT. */
  readonly linger: number
}

/** Values of the reference where it has a limit (p2p.md §3); limits for what it awaits without one. */
export const CONNECTION_TIMINGS: ConnectionTimings = {
  connect: 2000,
  handshake: 5000,
  ping: 5000,
  pong: 60_000,
  idle: 300_000,
  stall: 120_000,
  linger: 2000,
}

/** Options for outgoing and incoming connections. */
export interface ConnectionOptions {
  readonly key: NodeKey
  /** Name of this client. */
  readonly client: string
  /** Announced capabilities, including `rsk`. */
  readonly capabilities: readonly Capability[]
  /** Announced TCP port. */
  readonly listenPort: number
  /** Local IP address of outgoing connections; chosen by the system by default. */
  readonly localAddress?: string | undefined
  readonly random: Random
  /** Monotonic clock, milliseconds. */
  readonly clock: () => number
  readonly timings: ConnectionTimings
}
