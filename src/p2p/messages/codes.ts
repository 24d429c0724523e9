/** Absolute codes of frames (p2p.md §3). */
export const FRAME_CODES = {
  hello: 0x00,
  disconnect: 0x01,
  ping: 0x02,
  pong: 0x03,
  getPeers: 0x04,
  peers: 0x05,
  ethStatus: 0x10,
  rskMessage: 0x18,
  rangeMessage: 0x20,
} as const

/** Codes that a node of the network sends; another one closes the connection (p2p.md §3). */
export const USED_CODES: ReadonlySet<number> = new Set(
  Object.values(FRAME_CODES).filter((code) => code !== FRAME_CODES.rangeMessage),
)

/** Reasons of DISCONNECT (p2p.md §3). */
export const DISCONNECT_REASONS = {
  requested: 0x00,
  tcpError: 0x01,
  badProtocol: 0x02,
  uselessPeer: 0x03,
  tooManyPeers: 0x04,
  duplicatePeer: 0x05,
  incompatibleProtocol: 0x06,
  nullIdentity: 0x07,
  peerQuitting: 0x08,
  unexpectedIdentity: 0x09,
  localIdentity: 0x0a,
  pingTimeout: 0x0b,
  userReason: 0x10,
  unexpectedGenesis: 0x11,
  unknown: 0xff,
} as const

const REASON_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(DISCONNECT_REASONS).map(([name, reason]) => [reason, name]),
)

/** Name of a reason; its number where it has none. */
export function disconnectReasonName(reason: number): string {
  return REASON_NAMES.get(reason) ?? `reason ${reason}`
}
