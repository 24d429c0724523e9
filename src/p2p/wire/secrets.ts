import { keccak256 } from '../../native/crypto.ts'
import { type NodeKey, sharedX } from './curve.ts'
import { FrameMac } from './frameMac.ts'
import type { Handshake } from './handshake.ts'

/** The secrets that both ends know after auth and ack (p2p.md §2). */
export interface SessionSecrets {
  readonly shared: Buffer
  /** Key of the frames, 32 bytes. */
  readonly aes: Buffer
  /** Key of their MACs, 32 bytes. */
  readonly mac: Buffer
}

/** Both packets of a handshake, as they were on the wire. */
export interface HandshakePackets {
  readonly auth: Buffer
  readonly ack: Buffer
}

/** The cipher and MACs of a connection, as one end uses them. */
export interface FrameKeys {
  readonly aes: Buffer
  /** Of what is sent. */
  readonly egress: FrameMac
  /** Of what is received. */
  readonly ingress: FrameMac
}

/** @param ecdhe x of the point of both ephemeral keys, 32 bytes */
export function deriveSecrets(ecdhe: Buffer, initiatorNonce: Buffer, responderNonce: Buffer): SessionSecrets {
  const shared = keccak256(Buffer.concat([ecdhe, keccak256(Buffer.concat([responderNonce, initiatorNonce]))]))
  const aes = keccak256(Buffer.concat([ecdhe, shared]))
  return { shared, aes, mac: keccak256(Buffer.concat([ecdhe, aes])) }
}

/** Keys of the frames, for the end that dialled or the one that answered. @throws P2pError HANDSHAKE */
export function createFrameKeys(
  side: 'initiator' | 'responder',
  local: { readonly ephemeral: NodeKey; readonly nonce: Buffer },
  remote: Handshake,
  { auth, ack }: HandshakePackets,
): FrameKeys {
  const isInitiator = side === 'initiator'
  const ecdhe = sharedX(local.ephemeral.privateKey, remote.ephemeralId)
  const [initiator, responder] = isInitiator ? [local.nonce, remote.nonce] : [remote.nonce, local.nonce]
  const { aes, mac } = deriveSecrets(ecdhe, initiator, responder)
  const ofInitiator = new FrameMac(mac, responder, auth)
  const ofResponder = new FrameMac(mac, initiator, ack)
  return isInitiator
    ? { aes, egress: ofInitiator, ingress: ofResponder }
    : { aes, egress: ofResponder, ingress: ofInitiator }
}
