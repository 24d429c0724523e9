import { idHashOf } from './distance.ts'

/** A node that responded. Times are milliseconds of the monotonic clock. */
export interface KnownNode {
  /** 128 hex digits. */
  readonly id: string
  /** The same as 64 bytes. */
  readonly key: Buffer
  /** {@link idHashOf} its id. */
  readonly idHash: Buffer
  /** IP address. */
  readonly address: string
  /** UDP and TCP. */
  readonly port: number
  /** Time of its last response. */
  seenAt: number
  /** Time of the last request for its neighbours. */
  askedAt: number
}

export function createKnownNode(key: Buffer, address: string, port: number, now: number): KnownNode {
  const own = Buffer.from(key)
  return {
    id: own.toString('hex'),
    key: own,
    idHash: idHashOf(own),
    address,
    port,
    seenAt: now,
    askedAt: Number.NEGATIVE_INFINITY,
  }
}

/** True when both are the same node at the same address. */
export function isSameEndpoint(one: KnownNode, address: string, port: number): boolean {
  return one.address === address && one.port === port
}
