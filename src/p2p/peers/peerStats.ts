import { toHex } from '../../util/bytes.ts'
import type { ConnectedPeer } from './connectedPeer.ts'
import type { DialerStats } from './dialer.ts'
import type { PeerMemoryStats } from './peerMemory.ts'

/** A peer as operators see it: plain data. */
export interface PeerStats {
  /** 128 hex digits. */
  readonly id: string
  readonly address: string
  /** The port that it says it listens on. */
  readonly port: number
  readonly client: string
  readonly inbound: boolean
  readonly trusted: boolean
  /** Whether the operator named it, who wants it to be connected always. */
  readonly static: boolean
  /** Name and version, e.g. `rsk/62`. */
  readonly capabilities: readonly string[]
  readonly snap: boolean
  readonly ranges: boolean
  /** Null until it told. */
  readonly bestNumber: number | null
  readonly bestHash: string | null
  readonly totalDifficulty: bigint | null
  readonly connectedSeconds: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly score: number
  /** Milliseconds to an answer; null before the first. */
  readonly latency: number | null
  readonly messagesIn: number
  readonly messagesOut: number
  /** Messages that were dropped: too many in a minute, the same again, no room in or out. */
  readonly excess: number
  readonly repeated: number
  readonly droppedIn: number
  readonly droppedOut: number
  /** Bytes that are kept for it. */
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

/** Why connections were closed before they were peers. */
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

/** Why a connection was closed before it was a peer. */
export type Refusal = (typeof REFUSALS)[number]

/** All peers as operators see them: plain data. */
export interface PeerNetworkStats {
  /** Null when nobody listens. */
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
