import { randomUUID } from 'node:crypto'
import t from 'tap'
import { DiscoveryProtocol } from '../../../../src/p2p/discovery/discoveryProtocol.ts'
import {
  type DiscoveryMessage,
  decodePacket,
  encodePacket,
  recoverSender,
} from '../../../../src/p2p/discovery/packet.ts'
import { KeyedRateLimiter } from '../../../../src/p2p/discovery/rateLimiter.ts'
import type { NodeKey } from '../../../../src/p2p/wire/curve.ts'
import { addressOf, keyOf, NETWORK_ID, PORT } from './scene.ts'

interface Sent {
  readonly bytes: Buffer
  readonly message: DiscoveryMessage
  readonly address: string
  readonly port: number
}

/** A node, what it sends, and packets of others to it. */
function scene(refuses: (address: string) => boolean = () => false) {
  const sent: Sent[] = []
  const times = { now: 1_000_000 }
  const protocol = new DiscoveryProtocol({
    key: keyOf('own'),
    networkId: NETWORK_ID,
    host: '198.18.0.1',
    port: PORT,
    exemptsLocal: false,
    clock: () => times.now,
    random: () => 0,
    uuid: randomUUID,
    send: (bytes, port, address) => sent.push({ bytes, message: decodePacket(bytes).message, address, port }),
    refusesAddress: refuses,
    refusesNode: () => false,
  })
  const from = (key: NodeKey, address: string, message: DiscoveryMessage, port = PORT) =>
    protocol.receive(encodePacket(message, key.privateKey), address, port)
  const answerLast = (key: NodeKey, address: string) => {
    const ping = sent.findLast(({ message }) => message.type === 'ping')
    if (ping === undefined) throw new Error('no ping')
    from(key, address, { ...ping.message, type: 'pong' } as DiscoveryMessage)
  }
  /** Has a node answer, as it does that was asked. */
  const meet = (key: NodeKey, address: string) => {
    protocol.ping(address, PORT, key.id.toString('hex'))
    answerLast(key, address)
  }
  return { protocol, sent, times, from, meet, answerLast }
}

const here = { host: '127.0.0.1', udp: 1, tcp: 1 }
const ping = (check: string = randomUUID(), networkId: number | null = NETWORK_ID): DiscoveryMessage => ({
  type: 'ping',
  from: here,
  to: here,
  check,
  networkId,
})
const findNode = (): DiscoveryMessage => ({
  type: 'findNode',
  nodeId: Buffer.alloc(64, 1),
  check: randomUUID(),
  networkId: NETWORK_ID,
})
const ALICE = keyOf('alice')
const BOB = keyOf('bob')
const [HOME, AWAY] = [addressOf(1), addressOf(2)]

t.test('a PING is answered with its check in lower case and a PING, and from then on by PONG alone', (t) => {
  const { sent, from, answerLast } = scene()
  const check = randomUUID()
  from(ALICE, HOME, ping(check.toUpperCase(), null))
  t.match(sent, [
    { message: { type: 'pong', check, networkId: NETWORK_ID }, address: HOME, port: PORT },
    {
      message: { type: 'ping', from: { host: '198.18.0.1', udp: PORT, tcp: PORT } },
      address: HOME,
      port: PORT,
    },
  ])
  t.same(recoverSender(decodePacket(sent[0]?.bytes ?? Buffer.alloc(0))), keyOf('own').id)
  answerLast(ALICE, HOME)
  from(ALICE, HOME, ping())
  t.same(
    sent.slice(2).map(({ message }) => message.type),
    ['pong'],
  )
  t.end()
})

t.test('what the reference ignores has no answer', (t) => {
  const { protocol, sent, from } = scene((address) => address === AWAY)
  from(ALICE, HOME, ping('not-a-uuid'))
  from(ALICE, HOME, ping('e0bbffd7-7a66-19b8-a147-bfea4751df49'))
  from(ALICE, HOME, ping(randomUUID(), 30))
  from(ALICE, AWAY, ping())
  from(ALICE, '0.0.0.0', ping())
  from(keyOf('own'), HOME, ping())
  protocol.receive(encodePacket(ping(), ALICE.privateKey).fill(0, 0, 1), HOME, PORT)
  t.same(sent, [])
  t.match(protocol.stats(), { received: 7, dropped: 7, questions: 0 })
  t.end()
})

t.test('questions are answered to those alone who answered from that place', (t) => {
  const { sent, from, meet } = scene()
  from(ALICE, HOME, ping())
  from(ALICE, HOME, findNode())
  t.notOk(sent.some(({ message }) => message.type === 'neighbors'))
  meet(BOB, AWAY)
  from(BOB, AWAY, findNode())
  t.match(sent.at(-1), {
    message: { type: 'neighbors', nodes: [{ host: AWAY, udp: PORT, tcp: PORT }] },
    address: AWAY,
  })
  const count = sent.length
  from(BOB, HOME, findNode())
  from(BOB, AWAY, findNode(), PORT + 1)
  from(ALICE, AWAY, findNode())
  t.equal(sent.length, count)
  t.end()
})

t.test('an answer counts from who was asked, from there, in time, once', (t) => {
  const met = (answer: (scenery: ReturnType<typeof scene>, pong: DiscoveryMessage) => void) => {
    const scenery = scene()
    scenery.protocol.ping(HOME, PORT, ALICE.id.toString('hex'))
    answer(scenery, { ...scenery.sent.at(-1)?.message, type: 'pong' } as DiscoveryMessage)
    return scenery.protocol.nodes().length
  }
  t.equal(
    met(({ from }, pong) => from(ALICE, HOME, pong)),
    1,
  )
  t.equal(
    met(({ from }, pong) => from(BOB, HOME, pong)),
    0,
  )
  t.equal(
    met(({ from }, pong) => from(ALICE, AWAY, pong)),
    0,
  )
  t.equal(
    met(({ from }, pong) => from(ALICE, HOME, pong, PORT + 1)),
    0,
  )
  t.equal(
    met(({ from }, pong) => from(ALICE, HOME, { ...pong, check: randomUUID() })),
    0,
  )
  t.equal(
    met(({ from, times, protocol }, pong) => {
      times.now += 15_000
      protocol.expire()
      from(ALICE, HOME, pong)
    }),
    0,
  )
  t.end()
})

t.test('neighbours are taken from an answer alone, and asked once', (t) => {
  const { protocol, sent, times, from, meet } = scene()
  meet(BOB, AWAY)
  const node = { host: addressOf(9), udp: PORT, tcp: PORT, id: ALICE.id }
  const neighbors = (check: string): DiscoveryMessage => ({
    type: 'neighbors',
    nodes: [node, node, { ...node, id: keyOf('own').id }, { ...node, host: 'evil.example' }],
    check,
    networkId: NETWORK_ID,
  })
  const count = sent.length
  from(BOB, AWAY, neighbors(randomUUID()))
  t.equal(sent.length, count)
  times.now += 60_000
  protocol.refresh()
  const asked = sent.find(({ message }) => message.type === 'findNode')
  from(BOB, AWAY, neighbors(asked?.message.check ?? ''))
  const pinged = sent.slice(count).filter(({ address }) => address !== AWAY)
  t.match(pinged, [{ message: { type: 'ping' }, address: addressOf(9) }])
  from(BOB, AWAY, neighbors(asked?.message.check ?? ''))
  t.equal(sent.slice(count).filter(({ address }) => address !== AWAY).length, 1)
  t.end()
})

t.test('a source has 20 packets a second and strangers share what finding their names costs', (t) => {
  const { protocol, sent, times, from } = scene()
  const packet = encodePacket(ping(), ALICE.privateKey)
  for (let index = 0; index < 5_000; index += 1) protocol.receive(packet, HOME, PORT)
  const pongs = () => sent.filter(({ message }) => message.type === 'pong').length
  t.equal(pongs(), 59, 'one less than its burst, for the PING')
  // From now on every packet has a forged source of its own.
  times.now += 1_000
  const before = pongs()
  for (let index = 0; index < 20_000; index += 1) {
    protocol.receive(packet, `${30 + (index >> 12)}.${(index >> 4) & 255}.${index & 15}.1`, PORT)
  }
  t.equal(pongs() - before, 20)
  t.ok(protocol.stats().questions <= 256)
  t.equal(protocol.nodes().length, 0)
  // Somebody who was asked is heard nevertheless.
  protocol.ping(AWAY, PORT, null)
  const asked = sent.at(-1)?.message
  from(BOB, AWAY, { ...asked, type: 'pong' } as DiscoveryMessage)
  t.match(protocol.nodes(), [{ address: AWAY }])
  t.end()
})

t.test('strangers of one block are sent 10 PINGs at most, all of them 256, and each of them one', (t) => {
  const { protocol, sent, times } = scene()
  const pinged = () => sent.filter(({ message }) => message.type === 'ping').length
  const packet = encodePacket(ping(), ALICE.privateKey)
  for (let index = 0; index < 100; index += 1) {
    times.now += 100
    protocol.receive(packet, `198.51.100.${index}`, PORT)
  }
  t.ok(pinged() > 0)
  t.ok(pinged() <= 10, `${pinged()} to the block`)
  sent.length = 0
  for (let index = 0; index < 600; index += 1) {
    times.now += 100
    protocol.receive(packet, addressOf(index), PORT)
  }
  t.ok(pinged() > 240)
  t.equal(protocol.stats().questions, 256)
  const before = pinged()
  // They are forgotten without another one.
  for (let round = 0; round < 3; round += 1) {
    times.now += 15_000
    protocol.expire()
  }
  t.equal(pinged(), before)
  t.equal(protocol.stats().questions, 0)
  t.end()
})

t.test('thousands of ids behind few addresses fill neither the table nor the memory', (t) => {
  const { protocol, times, meet } = scene()
  meet(BOB, AWAY)
  for (let index = 0; index < 300; index += 1) {
    times.now += 1_000
    meet(keyOf(`sybil ${index}`), `198.51.100.${index % 250}`)
  }
  const nodes = protocol.nodes()
  t.ok(protocol.stats().nodes <= 11, 'ten of one block, and Bob')
  t.ok(nodes.length <= 21)
  t.ok(nodes.some(({ address }) => address === AWAY))
  t.end()
})

t.test('sources are remembered up to a number', (t) => {
  const buckets = new KeyedRateLimiter({ perSecond: 1, burst: 2 }, 100)
  for (let index = 0; index < 1_000; index += 1) buckets.take(String(index), 0)
  t.equal(buckets.size, 100)
  t.ok(buckets.take('999', 0))
  t.notOk(buckets.take('999', 0))
  t.ok(buckets.take('999', 1_000))
  t.end()
})
