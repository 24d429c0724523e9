const MIB = 1024 * 1024

/** Limits of the number of peers and of their resources. */
export interface PeerLimits {
  /** Peers at once; trusted and static ones do not count (p2p.md §7). */
  readonly peers: number
  /** Most incoming ones among them: the others are chosen by this node. */
  readonly inbound: number
  /** Most outgoing ones among them: a few slots stay free for nodes that look for peers. */
  readonly outbound: number
  /** Most incoming peers per subnet (p2p.md §7), and per address. */
  readonly inboundPerGroup: number
  readonly inboundPerAddress: number
  /** Most outgoing peers per subnet. */
  readonly outboundPerGroup: number
  /** Most connections during the handshake: in total, and per subnet. */
  readonly halfOpen: number
  readonly halfOpenPerGroup: number
  /** Memory per peer and for all, bytes; and the part of it for queued output. */
  readonly peerBytes: number
  readonly totalBytes: number
  readonly outgoingPeerBytes: number
  readonly outgoingTotalBytes: number
}

/** Factor by which trusted peers may send more than others (fleet.md §5). */
export const TRUSTED_FACTOR = 10

/** Least number of subnets over which outgoing peers are spread. */
const OUTBOUND_GROUPS = 4

/** Limits that follow from the number of peers. @param peers at most so many at once (p2p.md §7) */
export function createPeerLimits(peers: number): PeerLimits {
  const outbound = Math.max(1, peers - Math.floor(peers / 5))
  return {
    peers,
    inbound: Math.floor(peers / 2),
    outbound,
    inboundPerGroup: 16,
    inboundPerAddress: 4,
    outboundPerGroup: Math.max(2, Math.ceil(outbound / OUTBOUND_GROUPS)),
    halfOpen: 64,
    halfOpenPerGroup: 16,
    peerBytes: 32 * MIB,
    totalBytes: 256 * MIB,
    outgoingPeerBytes: 8 * MIB,
    outgoingTotalBytes: 64 * MIB,
  }
}
