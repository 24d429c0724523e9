import { placeOf } from './distance.ts'

/** A node that answered. Times are milliseconds of the steady clock. */
export interface KnownNode {
  /** 128 hex digits. */
  readonly id: string
  /** The same as 64 bytes. */
  readonly key: Buffer
  /** {@link placeOf} its id. */
  readonly place: Buffer
  /** IP address. */
  readonly address: string
  /** UDP and TCP. */
  readonly port: number
  /** When it answered last. */
  seenAt: number
  /** When it was asked for its neighbours last. */
  askedAt: number
}

export function createKnownNode(key: Buffer, address: string, port: number, now: number): KnownNode {
  const own = Buffer.from(key)
  return {
    id: own.toString('hex'),
    key: own,
    place: placeOf(own),
    address,
    port,
    seenAt: now,
    askedAt: Number.NEGATIVE_INFINITY,
  }
}

/** Whether both stand for the same node in the same place. */
export function isSamePlace(one: KnownNode, address: string, port: number): boolean {
  return one.address === address && one.port === port
}
