import { toHex } from '../../util/bytes.ts'
import type { ConnectedPeer } from './connectedPeer.ts'
import type { DialerStats } from './dialer.ts'
import type { PeerMemoryStats } from './peerMemory.ts'

/** Stats of a peer, as plain data. */
export interface PeerStats {
  /** 128 hex digits. */
  readonly id: string
  readonly address: string
  /** The port on which it claims to listen. */
  readonly port: number
  readonly client: string
  readonly inbound: boolean
  readonly trusted: boolean
  /** True when the operator configured it as a permanent peer. */
  readonly static: boolean
  /** Name and version, e.g. `rsk/62`. */
  readonly capabilities: readonly string[]
  readonly snap: boolean
  readonly ranges: boolean
  /** Null before its first status. */
  readonly bestNumber: number | null
  readonly bestHash: string | null
  readonly totalDifficulty: bigint | null
  readonly connectedSeconds: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly score: number
  /** Mean latency, milliseconds; null before the first response. */
  readonly latency: number | null
  readonly messagesIn: number
  readonly messagesOut: number
  /** Dropped messages: too many in a minute, repeated, too many bytes in or out. */
  readonly excess: number
  readonly repeated: number
  readonly droppedIn: number
  readonly droppedOut: number
  /** Memory in use for it, bytes. */
  readonly heldBytes: number
}

/**
 * A peer as operators see it.
 * @param now milliseconds, steady clock
 */
export function statsOf(peer: ConnectedPeer, isStatic: boolean, now: number, score: number): PeerStats {
  const { status, counts, held } = peer
  return {
    id: peer.id,
    address: peer.address,
    port: peer.port,
    client: peer.client,
    inbound: peer.inbound,
    trusted: peer.trusted,
    static: isStatic,
    capabilities: peer.capabilities,
    snap: peer.snap,
    ranges: peer.ranges,
    bestNumber: status?.bestNumber ?? null,
    bestHash: status === null ? null : toHex(status.bestHash),
    totalDifficulty: status?.totalDifficulty ?? null,
    connectedSeconds: Math.floor((now - peer.connectedAt) / 1000),
    bytesIn: peer.bytesIn,
    bytesOut: peer.bytesOut,
    score,
    latency: peer.latency,
    messagesIn: counts.received,
    messagesOut: counts.sent,
    excess: counts.excess,
    repeated: counts.repeated,
    droppedIn: held.droppedIn,
    droppedOut: held.droppedOut,
    heldBytes: held.bytes,
  }
}

/** Reasons why connections were closed before the handshake was complete. */
export type RefusalCounts = Readonly<Record<Refusal, number>>

export const REFUSALS = [
  'banned',
  'sentAway',
  'addressFull',
  'groupFull',
  'tooOften',
  'halfOpen',
  'handshake',
  'self',
  'duplicate',
  'full',
] as const

/** Reason why a connection was closed before the handshake was complete. */
export type Refusal = (typeof REFUSALS)[number]

/** Stats of all peers, as plain data. */
export interface PeerNetworkStats {
  /** Null without a listener. */
  readonly listening: { readonly address: string; readonly port: number } | null
  readonly inbound: number
  readonly outbound: number
  readonly halfOpen: number
  readonly evicted: number
  readonly refused: RefusalCounts
  readonly dials: DialerStats
  readonly memory: PeerMemoryStats
  readonly outgoingMemory: PeerMemoryStats
  /** Bytes of all connections since the start, those that are over included. */
  readonly bytesIn: number
  readonly bytesOut: number
  readonly peers: readonly PeerStats[]
}
