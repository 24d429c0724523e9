import { rlpItemLength } from '../../../../src/chain/codec/rlpReader.ts'
import {
  type DiscoveryMessage,
  DiscoveryPacketError,
  decodePacket,
  encodePacket,
  recoverSender,
} from '../../../../src/p2p/discovery/packet.ts'
import type { CaseValues } from '../../comparison.ts'
import { canonical, type HeaderLine, type MessageLine } from './lines.ts'
import { fromRecorded, type Recorded, toRecorded } from './recordedForm.ts'

/** Bytes of a packet before what was signed: mdc and signature (p2p.md §1). */
const SIGNED_FROM = 97
const DATA_FROM: number = SIGNED_FROM + 1

const TYPE_NUMBERS: Readonly<Record<DiscoveryMessage['type'], number>> = {
  ping: 1,
  pong: 2,
  findNode: 3,
  neighbors: 4,
}
const NAMES: Readonly<Record<string, DiscoveryMessage['type']>> = {
  PING: 'ping',
  PONG: 'pong',
  FIND_NODE: 'findNode',
  NEIGHBORS: 'neighbors',
}

/** A packet of discovery, read and, where its sender's key is known, made again with its signature. */
export function compareUdp(vector: MessageLine, header: HeaderLine, values: CaseValues): void {
  const payload = Buffer.from(vector.payload, 'hex')
  const { decoded } = vector
  if (decoded === undefined || 'error' in decoded) {
    values.equal('refused', true, isRefused(payload))
    return
  }
  const packet = decodePacket(payload)
  const sender = recoverSender(packet)?.toString('hex')
  const { type, ...fields } = packet.message
  values.equal('type', vector.type, TYPE_NUMBERS[type])
  const found = { ...toRecorded(fields), type: vector.type, name: vector.name, senderId: sender }
  values.equal('decoded', canonical(decoded), canonical(found))
  if (vector.odd !== undefined) return
  const key = sender === header.rskjNodeId ? header.rskjKey : header.peerKey
  const encoded = encodePacket(messageOf(vector.name, decoded), Buffer.from(key, 'hex'))
  const isKnown = sender === header.rskjNodeId || sender === header.peerNodeId
  // What is behind the list is signed too and belongs to no field: some were sent to see that it is ignored.
  const end = DATA_FROM + rlpItemLength(payload, DATA_FROM)
  const from = isKnown && end === payload.length ? 0 : SIGNED_FROM
  values.equal('encoded', payload.subarray(from, end), encoded.subarray(from))
}

function messageOf(name: string, decoded: Recorded): DiscoveryMessage {
  const { type: _, name: _name, senderId: _sender, ...fields } = decoded
  return {
    type: NAMES[name],
    networkId: null,
    ...fromRecorded<Recorded>(fields),
  } as unknown as DiscoveryMessage
}

function isRefused(payload: Buffer): boolean {
  try {
    decodePacket(payload)
    return false
  } catch (error) {
    if (error instanceof DiscoveryPacketError) return true
    throw error
  }
}
