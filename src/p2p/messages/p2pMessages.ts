import { itemAt, type RlpItem } from '../../chain/codec/rlpReader.ts'
import {
  encodeByte,
  encodeBytes,
  encodeList,
  encodeUnsigned,
  RLP_EMPTY_LIST,
} from '../../chain/codec/rlpWriter.ts'
import { NODE_ID_BYTES } from '../wire/curve.ts'
import { DISCONNECT_REASONS, FRAME_CODES } from './codes.ts'
import { decoding, fixedOf, MAX_FIELDS, numberOf, readList, stringOf } from './fields.ts'

/** Payload of PING and of PONG (p2p.md §3). */
export const EMPTY_PAYLOAD: Buffer = RLP_EMPTY_LIST

/** Payload of GET_PEERS (p2p.md §3). */
export const GET_PEERS_PAYLOAD: Buffer = encodeList([encodeByte(FRAME_CODES.getPeers)])

/** A node as PEERS names it. */
export interface NamedPeer {
  /** 4 or 16 bytes. */
  readonly ip: Buffer
  readonly port: number
  /** 64 bytes. */
  readonly id: Buffer
}

/** Nodes of one PEERS. */
const MAX_NAMED_PEERS = 1024

/** Payload of DISCONNECT: a list, which the reference insists on (p2p.md §3). @param reason one byte */
export function encodeDisconnect(reason: number): Buffer {
  return encodeList([encodeByte(reason)])
}

/** Reason of a DISCONNECT. @throws P2pError MESSAGE when it is no list */
export function decodeDisconnect(payload: Buffer): number {
  return decoding('DISCONNECT', () => {
    const [reason] = readList(payload, MAX_FIELDS)
    return reason === undefined ? DISCONNECT_REASONS.requested : numberOf(reason)
  })
}

/** Payload of PEERS, which nobody uses. */
export function encodePeers(peers: readonly NamedPeer[]): Buffer {
  return encodeList([
    encodeByte(FRAME_CODES.peers),
    ...peers.map(({ ip, port, id }) => encodeList([encodeBytes(ip), encodeUnsigned(port), encodeBytes(id)])),
  ])
}

/** @throws P2pError MESSAGE */
export function decodePeers(payload: Buffer): NamedPeer[] {
  return decoding('PEERS', () =>
    readList(payload, MAX_NAMED_PEERS + 1)
      .slice(1)
      .map(parsePeer),
  )
}

function parsePeer(item: RlpItem): NamedPeer {
  const fields = item.itemsUpTo(MAX_FIELDS)
  return {
    ip: stringOf(itemAt(fields, 0)),
    port: numberOf(itemAt(fields, 1)),
    id: fixedOf(itemAt(fields, 2), NODE_ID_BYTES),
  }
}
