import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { keccak256 } from '../../../../src/native/crypto.ts'
import { DiscoveryProtocol } from '../../../../src/p2p/discovery/discoveryProtocol.ts'
import { type DiscoveryMessage, decodePacket, encodePacket } from '../../../../src/p2p/discovery/packet.ts'
import { createNodeKey, type NodeKey, sign } from '../../../../src/p2p/wire/curve.ts'
import type { BehaviourCheck } from './behaviour.ts'

const NETWORK = 7771
const PEER = { address: '127.0.0.1', port: 40_000 }
/** A UUID of version 1. */
const VERSION_1 = 'ddef1ef1-a72b-1ba4-af96-f25bf70aa45c'

/** What discovery answers. */
export const DISCOVERY_CHECKS: Readonly<Record<string, BehaviourCheck>> = {
  'FIND_NODE before being established': (line, values) => {
    const node = new DiscoveryNode()
    node.send(node.findNode())
    values.equal('answers', line['answers'], node.count('neighbors'))
    values.equal('anything', line['anything'], node.sent.length)
  },
  PING: (line, values) => {
    const node = new DiscoveryNode()
    const ping = node.ping()
    node.send(ping)
    values.equal('pongs', line['pong'], node.count('pong'))
    values.equal('pings', line['pingBack'], node.count('ping'))
    values.equal('same check', line['sameCheck'], node.last('pong')?.check === ping.check)
  },
  'FIND_NODE after our PING only (its PING not answered)': (line, values) => {
    const node = new DiscoveryNode()
    node.send(node.ping())
    node.send(node.findNode())
    values.equal('answers', line['answers'], node.count('neighbors'))
  },
  'FIND_NODE after PONG': (line, values) => {
    const node = new DiscoveryNode()
    node.establish(node.key, PEER.port)
    node.send(node.findNode())
    values.equal('answers', line['answers'], node.count('neighbors'))
    const named = node.named()
    values.equal('names who asks', true, named.includes(node.key.id.toString('hex')))
  },
  'FIND_NODE with 27 nodes established': (line, values) => {
    const node = new DiscoveryNode()
    node.establish(node.key, PEER.port)
    for (let port = 1; port < 27; port += 1) node.establish(createNodeKey(randomBytes), PEER.port + port)
    node.send(node.findNode())
    const named = node.named()
    values.equal('nodes', line['nodes'], named.length)
    values.equal('names who asks', line['selfIncluded'], named.includes(node.key.id.toString('hex')))
  },
  'PING with another network id': pingCheck((node) => node.packet({ ...node.ping(), networkId: 1 })),
  'PING without network id': pingCheck((node) => node.packet({ ...node.ping(), networkId: null })),
  'PING with a check that is no UUID': pingCheck((node) => node.packet({ ...node.ping(), check: 'x' })),
  'PING with a version 1 UUID': pingCheck((node) => node.packet({ ...node.ping(), check: VERSION_1 })),
  'PING with a wrong mdc': pingCheck((node) => {
    const packet = node.packet(node.ping())
    packet[0] = (packet[0] ?? 0) ^ 1
    return packet
  }),
  'PING with bytes after the list': pingCheck((node) => {
    const data = Buffer.concat([
      node.packet(node.ping()).subarray(MDC_BYTES + SIGNATURE_BYTES),
      Buffer.from([1, 2]),
    ])
    const signed = Buffer.concat([sign(keccak256(data), node.key.privateKey), data])
    return Buffer.concat([keccak256(signed), signed])
  }),
  'PING with an upper-case UUID': (line, values) => {
    const node = new DiscoveryNode()
    const check = String(line['sent'])
    node.send({ ...node.ping(), check })
    values.equal('pongs', line['pong'], node.count('pong'))
    values.equal('check', line['check'], node.last('pong')?.check)
  },
}

const MDC_BYTES = 32
const SIGNATURE_BYTES = 65

function pingCheck(packet: (node: DiscoveryNode) => Buffer): BehaviourCheck {
  return (line, values) => {
    const node = new DiscoveryNode()
    node.receive(packet(node), PEER.port)
    values.equal('pongs', line['pong'], node.count('pong'))
  }
}

type Ping = Extract<DiscoveryMessage, { type: 'ping' | 'pong' }>

/** A node of this repository, and the key of a peer that sends it packets. */
class DiscoveryNode {
  readonly key: NodeKey = createNodeKey(randomBytes)
  readonly sent: { readonly message: DiscoveryMessage; readonly port: number }[] = []
  readonly #protocol = new DiscoveryProtocol({
    key: createNodeKey(randomBytes),
    networkId: NETWORK,
    host: '127.0.0.1',
    port: 50_501,
    exemptsLocal: true,
    clock: () => 0,
    random: (below) => randomInt(below),
    uuid: randomUUID,
    send: (bytes, port) => {
      this.sent.push({ message: decodePacket(bytes).message, port })
    },
    refusesAddress: () => false,
    refusesNode: () => false,
  })

  ping(type: 'ping' | 'pong' = 'ping'): Ping {
    const endpoint = { host: PEER.address, udp: PEER.port, tcp: PEER.port }
    return { type, from: endpoint, to: endpoint, check: randomUUID(), networkId: NETWORK }
  }

  findNode(): DiscoveryMessage {
    return { type: 'findNode', nodeId: this.key.id, check: randomUUID(), networkId: NETWORK }
  }

  packet(message: DiscoveryMessage, key: NodeKey = this.key): Buffer {
    return encodePacket(message, key.privateKey)
  }

  send(message: DiscoveryMessage, key: NodeKey = this.key, port: number = PEER.port): void {
    this.receive(this.packet(message, key), port)
  }

  receive(bytes: Buffer, port: number): void {
    this.#protocol.receive(bytes, PEER.address, port)
  }

  /** A PING, and the answer to the one that comes back. */
  establish(key: NodeKey, port: number): void {
    this.send(this.ping(), key, port)
    const back = this.sent.findLast(({ message, port: to }) => message.type === 'ping' && to === port)
    if (back === undefined) throw new Error('no PING came back')
    this.send({ ...this.ping('pong'), check: back.message.check }, key, port)
  }

  count(type: DiscoveryMessage['type']): number {
    return this.sent.filter(({ message }) => message.type === type).length
  }

  last(type: DiscoveryMessage['type']): DiscoveryMessage | undefined {
    return this.sent.findLast(({ message }) => message.type === type)?.message
  }

  /** Ids that the last answer names. */
  named(): string[] {
    const message = this.last('neighbors')
    return message?.type === 'neighbors' ? message.nodes.map(({ id }) => id.toString('hex')) : []
  }
}
