import { randomUUID } from 'node:crypto'
import t from 'tap'
import { DiscoveryProtocol } from '../../../../src/p2p/discovery/discoveryProtocol.ts'
import { type DiscoveryMessage, decodePacket, encodePacket } from '../../../../src/p2p/discovery/packet.ts'
import type { NodeKey } from '../../../../src/p2p/wire/curve.ts'
import { addressOf, keyOf, NETWORK_ID, PORT } from './scene.ts'

/** What a source may be answered for each byte that came from it within a minute. */
const MAX_RATIO = 1.1
const MINUTE = 60_000

/** A node that strangers write to, with the bytes between it and each address. */
class Target {
  readonly key: NodeKey
  now = 5_000_000
  readonly sent: { message: DiscoveryMessage; address: string; port: number; bytes: Buffer }[] = []
  received = 0
  readonly protocol: DiscoveryProtocol

  constructor(name = 'target', exemptsLocal = false) {
    this.key = keyOf(name)
    this.protocol = new DiscoveryProtocol({
      key: this.key,
      networkId: NETWORK_ID,
      host: '198.18.0.100',
      port: PORT,
      exemptsLocal,
      clock: () => this.now,
      random: () => 0,
      uuid: randomUUID,
      send: (bytes, port, address) =>
        void this.sent.push({ message: decodePacket(bytes).message, address, port, bytes }),
      refusesAddress: () => false,
      refusesNode: () => false,
    })
  }

  get sentBytes(): number {
    return this.sent.reduce((sum, { bytes }) => sum + bytes.length, 0)
  }

  types(): string[] {
    return this.sent.map(({ message }) => message.type)
  }

  hear(bytes: Buffer, address: string, port = PORT): void {
    this.received += bytes.length
    this.protocol.receive(bytes, address, port)
  }

  /** Lets time go by, with the tasks of every five seconds. */
  pass(milliseconds: number): void {
    for (const end = this.now + milliseconds; this.now < end; ) {
      this.now = Math.min(end, this.now + 5_000)
      this.protocol.expire()
      this.protocol.fill()
    }
  }
}

const here = { host: '198.51.100.77', udp: PORT, tcp: PORT }
const pingOf = (key: NodeKey): Buffer =>
  encodePacket(
    { type: 'ping', from: here, to: here, check: randomUUID(), networkId: NETWORK_ID },
    key.privateKey,
  )
const findNodeOf = (key: NodeKey): Buffer =>
  encodePacket(
    { type: 'findNode', nodeId: key.id, check: randomUUID(), networkId: NETWORK_ID },
    key.privateKey,
  )
const pongTo = (key: NodeKey, check: string): Buffer =>
  encodePacket({ type: 'pong', from: here, to: here, check, networkId: NETWORK_ID }, key.privateKey)

const ALICE = keyOf('alice')
const VICTIM = '203.0.113.5'

t.test('one PING is worth a PONG and one PING, however long nobody answers', (t) => {
  const target = new Target()
  target.hear(pingOf(ALICE), VICTIM)
  t.same(target.types(), ['pong', 'ping'])
  target.pass(10 * MINUTE)
  t.same(target.types(), ['pong', 'ping'])
  t.end()
})

t.test('from three PINGs in a minute on fewer bytes are sent than 1.1 times those that came', (t) => {
  for (let count = 3; count <= 40; count += 1) {
    const target = new Target()
    for (let index = 0; index < count; index += 1) {
      target.hear(pingOf(ALICE), VICTIM)
      target.pass(Math.floor(MINUTE / count))
    }
    const ratio = target.sentBytes / target.received
    t.ok(ratio < MAX_RATIO, `${count} PINGs: ${ratio}`)
    t.ok(target.types().includes('pong'))
  }
  t.end()
})

t.test('the minutes after are no better for whoever writes to a victim', (t) => {
  const target = new Target()
  for (let minute = 0; minute < 9; minute += 1) {
    const [sent, received] = [target.sentBytes, target.received]
    for (const pause of [15_000, 15_000, 30_000]) {
      target.hear(pingOf(minute % 2 === 0 ? ALICE : keyOf(`other ${minute}`)), VICTIM, PORT + (minute % 3))
      target.pass(pause)
    }
    t.ok((target.sentBytes - sent) / (target.received - received) < MAX_RATIO, `minute ${minute}`)
  }
  t.end()
})

t.test('a block of addresses counts as one: /24, and /56 of IPv6', (t) => {
  const blocks: ((index: number) => string)[] = [
    (index) => `203.0.113.${index + 1}`,
    (index) => `127.0.7.${index + 1}`,
    (index) => `2001:db8:7:${(index & 0xff).toString(16)}::${index + 1}`,
    (index) => `2001:0db8:0007:00${index.toString(16).padStart(2, '0')}:0:0:0:1`,
  ]
  for (const addressIn of blocks) {
    for (const count of [3, 10, 60, 250]) {
      const target = new Target()
      for (let index = 0; index < count; index += 1) {
        target.hear(pingOf(keyOf(`stranger ${index}`)), addressIn(index))
        target.pass(Math.floor(MINUTE / count))
      }
      const ratio = target.sentBytes / target.received
      t.ok(ratio < MAX_RATIO, `${count} of ${addressIn(0)}: ${ratio}`)
    }
  }
  t.end()
})

t.test('other packets of strangers get less than they bring', (t) => {
  const target = new Target()
  for (let index = 0; index < 30; index += 1) {
    target.hear(index % 3 === 0 ? pingOf(ALICE) : findNodeOf(ALICE), VICTIM)
    target.hear(Buffer.alloc(20), VICTIM)
    target.pass(2_000)
  }
  t.ok(target.sentBytes / target.received < MAX_RATIO)
  t.notOk(target.types().includes('neighbors'))
  t.end()
})

t.test('neighbours that a node names are written to a few times only', (t) => {
  const target = new Target()
  target.protocol.ping(addressOf(1), PORT, ALICE.id.toString('hex'))
  target.hear(pongTo(ALICE, target.sent.at(-1)?.message.check ?? ''), addressOf(1))
  target.sent.length = 0
  const began = target.now
  while (target.now - began < MINUTE) {
    target.now += 15_000
    target.protocol.fill()
    target.protocol.expire()
    const asked = target.sent.findLast(({ message }) => message.type === 'findNode')
    const nodes = Array.from({ length: 19 }, (_, index) => ({
      host: index % 2 === 0 ? VICTIM : `203.0.113.${index + 10}`,
      udp: 1000 + index + target.sent.length,
      tcp: 1,
      id: keyOf(`made up ${target.now} ${index}`).id,
    }))
    const neighbors = {
      type: 'neighbors',
      nodes,
      check: asked?.message.check ?? '',
      networkId: NETWORK_ID,
    } as const
    target.hear(encodePacket(neighbors, ALICE.privateKey), addressOf(1))
  }
  const toBlock = target.sent.filter(({ address }) => address.startsWith('203.0.113.'))
  t.ok(toBlock.length > 0)
  t.ok(toBlock.length <= 16, `${toBlock.length} to the block`)
  t.ok(toBlock.filter(({ address }) => address === VICTIM).length <= 6)
  t.end()
})

t.test('a node like the reference bonds, also when the first PONG or PING is lost', (t) => {
  // What the reference sends: PING up to three times every 15 s until a PONG comes, a PONG to each PING, and
  // FIND_NODE to whom it knows (p2p.md §1).
  for (const lost of [[], ['pong'], ['ping'], ['pong', 'ping'], ['answer']]) {
    const target = new Target()
    const losing = [...lost]
    const isLost = (type: string) => losing[0] === type && losing.shift() !== undefined
    let knowsTarget = false
    let handled = 0
    const answer = () => {
      for (; handled < target.sent.length; handled += 1) {
        const { message } = target.sent[handled] as (typeof target.sent)[number]
        if (message.type === 'pong' && !isLost('pong')) knowsTarget = true
        if (message.type !== 'ping' || isLost('ping')) continue
        const bytes = pongTo(ALICE, message.check)
        if (!isLost('answer')) target.hear(bytes, VICTIM)
      }
    }
    const isBonded = () => knowsTarget && target.protocol.nodes().length === 1
    let seconds = 0
    for (; seconds <= 120 && !isBonded(); seconds += 15) {
      target.hear(knowsTarget ? findNodeOf(ALICE) : pingOf(ALICE), VICTIM)
      answer()
      target.pass(15_000)
      answer()
    }
    t.ok(isBonded(), `lost: ${lost.join()}`)
    t.ok(seconds <= (lost.length === 0 ? 15 : 60), `${seconds} s when ${lost.join()} is lost`)
  }
  t.end()
})

t.test('nodes of this kind bond through the node of the configuration at once', (t) => {
  const [one, two] = [new Target('one'), new Target('two')]
  const [here1, here2] = [addressOf(1), addressOf(2)]
  one.protocol.ping(here2, PORT, null)
  t.ok((one.sent[0]?.bytes.length ?? 0) >= 512, 'so many bytes that it is worth three packets')
  for (let round = 0; round < 4; round += 1) {
    for (const { bytes } of one.sent.splice(0)) two.hear(bytes, here1)
    for (const { bytes } of two.sent.splice(0)) one.hear(bytes, here2)
  }
  t.equal(one.protocol.nodes().length, 1)
  t.equal(two.protocol.nodes().length, 1)
  t.end()
})

t.test('a cluster on one machine finds its nodes', (t) => {
  const targets = Array.from({ length: 12 }, (_, index) => new Target(`local ${index}`, true))
  const ports = targets.map((_, index) => 40_000 + index)
  const [first] = targets as [Target]
  for (const target of targets.slice(1)) target.protocol.ping('127.0.0.1', ports[0] as number, null)
  for (let second = 0; second < 90; second += 5) {
    for (let round = 0; round < 6; round += 1) {
      for (const [index, target] of targets.entries()) {
        for (const { bytes, port } of target.sent.splice(0))
          targets[port - 40_000]?.hear(bytes, '127.0.0.1', ports[index])
      }
    }
    for (const target of targets) target.pass(5_000)
    for (const target of targets) target.protocol.refresh()
  }
  t.equal(first.protocol.nodes().length, 11)
  t.ok(targets.every((target) => target.protocol.nodes().length >= 9))
  t.end()
})
