const MIB = 1024 * 1024

/** How many peers there may be, and what they may take. */
export interface PeerLimits {
  /** Peers at once; trusted and static ones do not count (p2p.md §7). */
  readonly peers: number
  /** Of these, how many may have dialled us: the others are chosen by this node. */
  readonly inbound: number
  /** Of these, how many this node dials: a few places stay for nodes that look for peers. */
  readonly outbound: number
  /** Peers that dialled us from one block of addresses (p2p.md §7), and from one address. */
  readonly inboundPerGroup: number
  readonly inboundPerAddress: number
  /** Peers that this node dials in one block of addresses. */
  readonly outboundPerGroup: number
  /** Connections whose handshake is not over: all, and of one block of addresses. */
  readonly halfOpen: number
  readonly halfOpenPerGroup: number
  /** What is kept for one peer and for all, bytes; of that, what waits to be sent. */
  readonly peerBytes: number
  readonly totalBytes: number
  readonly outgoingPeerBytes: number
  readonly outgoingTotalBytes: number
}

/** Blocks of addresses that a node's own choice of peers is spread over at least. */
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
