import t from 'tap'
import { keccak256 } from '../../../../src/native/crypto.ts'
import {
  type DiscoveryMessage,
  DiscoveryPacketError,
  decodePacket,
  encodePacket,
  isCheck,
  recoverSender,
} from '../../../../src/p2p/discovery/packet.ts'
import { readVectorLines } from '../../../support/vectors.ts'

const CHECK = 'e0bbffd7-7a66-49b8-a147-bfea4751df49'
/** Where the type stands, behind hash and signature. */
const TYPE_AT = 97
const NAMES = { ping: 'PING', pong: 'PONG', findNode: 'FIND_NODE', neighbors: 'NEIGHBORS' } as const

type Line = {
  readonly kind?: string
  readonly layer: string
  readonly payload: string
  readonly decoded: { readonly [name: string]: unknown }
  readonly odd?: string
  readonly rskjKey: string
  readonly rskjNodeId: string
  readonly peerKey: string
  readonly peerNodeId: string
}

/** A packet in the form of the recorded lines. */
function asRecorded(bytes: Buffer): unknown {
  const packet = decodePacket(bytes)
  const { message } = packet
  const { networkId } = message
  const body =
    message.type === 'findNode'
      ? { nodeId: message.nodeId.toString('hex') }
      : message.type === 'neighbors'
        ? { nodes: message.nodes.map((node) => ({ ...node, id: node.id.toString('hex') })) }
        : { from: message.from, to: message.to }
  return {
    type: Object.keys(NAMES).indexOf(message.type) + 1,
    name: NAMES[message.type],
    senderId: recoverSender(packet)?.toString('hex'),
    ...body,
    check: message.check,
    ...(networkId === null ? {} : { networkId }),
  }
}

for (const file of ['messages', 'sessions'] as const) {
  t.test(`recorded ${file}`, (t) => {
    const lines = readVectorLines<Line>(`p2p/p2p-${file}.jsonl`)
    const header = lines.find(({ kind }) => kind === 'header') as Line
    const keys = new Map([
      [header.rskjNodeId, header.rskjKey],
      [header.peerNodeId, header.peerKey],
    ])
    const seen: Record<string, number> = {}
    for (const { layer, payload, decoded, odd } of lines) {
      if (layer !== 'udp') continue
      const bytes = Buffer.from(payload, 'hex')
      if (odd !== undefined) {
        t.throws(() => decodePacket(bytes), { message: decoded['error'] as string })
        seen['odd'] = (seen['odd'] ?? 0) + 1
        continue
      }
      t.same(asRecorded(bytes), decoded)
      const { message } = decodePacket(bytes)
      const key = keys.get(decoded['senderId'] as string)
      const again = encodePacket(message, Buffer.from(key ?? header.peerKey, 'hex'))
      // One packet was sent with bytes behind its list, which are signed but not read.
      const count = bytes.length > again.length ? 'longer' : key === undefined ? 'unsigned' : 'signed'
      const from = count === 'signed' ? 0 : TYPE_AT
      const end = count === 'longer' ? again.length : bytes.length
      t.equal(again.subarray(from).toString('hex'), bytes.subarray(from, end).toString('hex'))
      seen[count] = (seen[count] ?? 0) + 1
    }
    t.ok((seen['signed'] ?? 0) > 0 && (seen['unsigned'] ?? 0) > 0, JSON.stringify(seen))
    t.end()
  })
}

const key = Buffer.alloc(32, 7)
const here = { host: '127.0.0.1', udp: 50501, tcp: 50501 }
const ping: DiscoveryMessage = { type: 'ping', from: here, to: here, check: CHECK, networkId: 33 }

/** A packet with another data part under a hash that fits. */
function resealed(bytes: Buffer, change: (rest: Buffer) => Buffer): Buffer {
  const rest = change(Buffer.from(bytes.subarray(32)))
  return Buffer.concat([keccak256(rest), rest])
}

t.test('bytes behind the list are ignored', (t) => {
  const longer = resealed(encodePacket(ping, key), (rest) => Buffer.concat([rest, Buffer.alloc(9, 1)]))
  t.same(decodePacket(longer).message, ping)
  t.end()
})

t.test('neighbours in the older form have one port', (t) => {
  const node = { ...here, id: Buffer.alloc(64, 3) }
  const packet = encodePacket({ type: 'neighbors', nodes: [node], check: CHECK, networkId: 33 }, key)
  t.same(decodePacket(packet).message, { type: 'neighbors', nodes: [node], check: CHECK, networkId: 33 })
  const older = resealed(packet, (rest) => {
    const at = rest.indexOf(Buffer.from('82c54582c545', 'hex'))
    const cut = Buffer.concat([rest.subarray(0, at + 3), rest.subarray(at + 6)])
    // Three bytes less in each of the lists around it.
    for (const size of [67, 69, 71]) cut[size] = (cut[size] ?? 0) - 3
    return cut
  })
  t.same(decodePacket(older).message, { type: 'neighbors', nodes: [node], check: CHECK, networkId: 33 })
  t.end()
})

t.test('what is no packet is refused by name', (t) => {
  const packet = encodePacket(ping, key)
  const cases: [string, Buffer][] = [
    ['too short', packet.subarray(0, 97)],
    ['too long', Buffer.alloc(8193)],
    ['one bit', Buffer.from(packet.map((byte, index) => (index === 120 ? byte ^ 1 : byte)))],
    ['unknown type', resealed(packet, (rest) => Buffer.from(rest.fill(9, 65, 66)))],
    ['no list', resealed(packet, (rest) => Buffer.concat([rest.subarray(0, 66), Buffer.from([5])]))],
    ['no data', resealed(packet, (rest) => rest.subarray(0, 66))],
    ['cut off', resealed(packet, (rest) => rest.subarray(0, 80))],
    [
      'huge list',
      resealed(packet, (rest) => Buffer.concat([rest.subarray(0, 66), Buffer.from('fb7fffffff', 'hex')])),
    ],
    ['empty list', resealed(packet, (rest) => Buffer.concat([rest.subarray(0, 66), Buffer.from([0xc0])]))],
  ]
  for (const [name, bytes] of cases) t.throws(() => decodePacket(bytes), DiscoveryPacketError, name)
  const nobody = resealed(packet, (rest) => Buffer.from(rest.fill(0xff, 0, 64)))
  t.equal(recoverSender(decodePacket(nobody)), null)
  t.end()
})

t.test('checks are UUIDs of version 4', (t) => {
  t.ok(isCheck(CHECK))
  t.ok(isCheck(CHECK.toUpperCase()))
  t.notOk(isCheck('not-a-uuid'))
  t.notOk(isCheck('e0bbffd7-7a66-19b8-a147-bfea4751df49'))
  t.notOk(isCheck(`${CHECK} `))
  t.end()
})
