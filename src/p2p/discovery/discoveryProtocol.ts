import { plainAddress } from '../peers/networkGroup.ts'
import type { NodeKey } from '../wire/curve.ts'
import { scopeOf } from './addressBlock.ts'
import { chooseSome } from './chooseSome.ts'
import { type Challenge, Contacts } from './contacts.ts'
import { idHashOf } from './distance.ts'
import { InboundGate } from './inboundGate.ts'
import type { KnownNode } from './knownNode.ts'
import { namedNodes, neighborsOf } from './neighbors.ts'
import { type OpenRequest, OpenRequests } from './openRequests.ts'
import {
  type DiscoveryMessage,
  type DiscoveryPacket,
  decodePacket,
  type Endpoint,
  encodePacket,
  isCheck,
  isSender,
  type NodeEntry,
  recoverSender,
} from './packet.ts'
import { UnprovenLimits } from './unprovenLimits.ts'

/** Timeout of a response, milliseconds (p2p.md §1). */
const ANSWER_TIME = 14_999
/** Attempts of a PING before its node is dropped; a stranger gets the later ones only when enough came from it. */
const ATTEMPTS = 3
/**
 * Length of PINGs to nodes of the configuration and the address book. A node like this one answers no more bytes
 * than came (`ReplyBudget`): these are enough for its PONG, its PING and another one if that is lost.
 */
const NAMED_PING_BYTES = 512
/**
 * Nodes of the table that are asked and pinged at each refresh (p2p.md §1), and nodes outside of it that are
 * pinged.
 */
const REFRESH = { asked: 24, pinged: 16, spares: 8 } as const
/**
 * Table size below which it is filled faster, the number of concurrent requests then, and the interval of
 * requests to a node, milliseconds.
 */
const FILLING = { below: 16, asked: 8, again: 15_000 } as const
/** Time after a response in which a node is not challenged, milliseconds. */
const FRESH_TIME = 30_000

export interface DiscoveryProtocolOptions {
  readonly key: NodeKey
  readonly networkId: number
  /** Host and port announced in packets, on which nobody relies (p2p.md §1). */
  readonly host: string
  readonly port: number
  /** True when local addresses are exempt from subnet limits. */
  readonly exemptsLocal: boolean
  /** Milliseconds, steady. */
  readonly clock: () => number
  /** An unpredictable random integer from 0 to below the argument. */
  readonly random: (below: number) => number
  /** A new UUID of version 4. */
  readonly uuid: () => string
  readonly send: (bytes: Buffer, port: number, address: string) => void
  readonly refusesAddress: (address: string) => boolean
  readonly refusesNode: (id: string) => boolean
}

/** Stats for operators; all but the first three only grow. */
export interface DiscoveryStats {
  readonly nodes: number
  readonly spares: number
  readonly questions: number
  readonly received: number
  readonly dropped: number
  readonly sent: number
}

/** The discovery protocol (p2p.md §1), without timers and sockets of its own. */
export class DiscoveryProtocol {
  readonly #options: DiscoveryProtocolOptions
  readonly #ownId: string
  readonly #contacts: Contacts
  readonly #questions = new OpenRequests()
  readonly #gate: InboundGate
  readonly #limits: UnprovenLimits
  #received = 0
  #dropped = 0
  #sent = 0

  constructor(options: DiscoveryProtocolOptions) {
    const { key, exemptsLocal, clock } = options
    this.#options = options
    this.#ownId = key.id.toString('hex')
    this.#contacts = new Contacts({ ownIdHash: idHashOf(key.id), exemptsLocal })
    this.#gate = new InboundGate(clock())
    this.#limits = new UnprovenLimits(exemptsLocal)
  }

  /** Nodes that responded: those of the table, then those that do not fit into it. */
  nodes(): KnownNode[] {
    return [...this.#contacts.inTable(), ...this.#contacts.spares()]
  }

  /** True when no node has responded. */
  get knowsNobody(): boolean {
    return this.#contacts.tableSize === 0
  }

  stats(): DiscoveryStats {
    return {
      nodes: this.#contacts.tableSize,
      spares: this.#contacts.spares().length,
      questions: this.#questions.size,
      received: this.#received,
      dropped: this.#dropped,
      sent: this.#sent,
    }
  }

  /** Handles a datagram; invalid ones are dropped silently. */
  receive(bytes: Buffer, from: string, port: number): void {
    this.#received += 1
    const address = plainAddress(from)
    if (!this.#take(bytes, address, port)) this.#dropped += 1
  }

  /** Pings an address, unless a PING to it is pending. */
  ping(address: string, port: number, id: string | null): void {
    this.#ping({ address, port, id, reason: 'named', attempt: 1, challenge: null })
  }

  /** Every few seconds: repeats unanswered PINGs, and drops nodes that never respond. */
  expire(): void {
    const old = this.#questions.takeOlder(this.#options.clock() - ANSWER_TIME)
    for (const question of old.filter(({ kind }) => kind === 'ping')) {
      if (question.attempt < ATTEMPTS) this.#ping({ ...question, attempt: question.attempt + 1 }, false)
      else this.#giveUp(question)
    }
    // A node that does not know this one does not respond to its requests (p2p.md §1), but a PING introduces
    // it.
    for (const { kind, address, port, id } of old) if (kind === 'findNode') this.ping(address, port, id)
  }

  /** Each minute: asks some nodes for others, and pings those that were silent longest. */
  refresh(): void {
    const nodes = this.#contacts.inTable()
    for (const node of chooseSome(nodes, REFRESH.asked, this.#options.random)) this.#ask(node)
    nodes.sort((one, other) => one.seenAt - other.seenAt)
    for (const node of nodes.slice(0, REFRESH.pinged)) this.#pingKnown(node, null)
    for (const node of this.#contacts.spares().slice(0, REFRESH.spares)) this.#pingKnown(node, null)
  }

  /** Every few seconds: fills a nearly empty table faster than {@link refresh}. */
  fill(): void {
    if (this.#contacts.tableSize >= FILLING.below) return
    const now = this.#options.clock()
    const due = this.nodes().filter(({ askedAt }) => now - askedAt >= FILLING.again)
    for (const node of chooseSome(due, FILLING.asked, this.#options.random)) this.#ask(node)
  }

  /** @returns whether the datagram was of use */
  #take(bytes: Buffer, address: string, port: number): boolean {
    const { clock, networkId, refusesAddress } = this.#options
    const now = clock()
    if (port === 0 || scopeOf(address) === 'none' || !this.#gate.admits(address, port, now)) return false
    if (refusesAddress(address)) return false
    this.#limits.received(address, port, bytes.length, now)
    const packet = tryDecode(bytes)
    if (packet === null) return false
    const { message } = packet
    if (!isCheck(message.check) || (message.networkId ?? networkId) !== networkId) return false
    const check = message.check.toLowerCase()
    if (message.type === 'ping' || message.type === 'findNode') {
      const known = this.#contacts.at(address, port)
      if (known.length > 0 && !this.#gate.mayCost(true, now)) return false
      const asking = known.find(({ key }) => isSender(packet, key)) ?? null
      if (message.type === 'findNode') {
        return asking === null
          ? this.#onEarlyFindNode(packet, address, port)
          : this.#onFindNode(asking, check)
      }
      return this.#onPing(asking, packet, check, address, port)
    }
    const question = this.#questions.get(check)
    const kind = message.type === 'pong' ? 'ping' : 'findNode'
    if (question?.kind !== kind || question.address !== address || question.port !== port) return false
    const key = senderOf(packet, question.id)
    if (key === null) return false
    this.#questions.remove(check)
    if (message.type === 'neighbors') this.#onNeighbors(message.nodes, address)
    else if (this.#isOther(key.toString('hex'))) this.#onPong(key, address, port)
    return true
  }

  /** @param known the sender if it is known; otherwise it has to be recovered */
  #onPing(
    known: KnownNode | null,
    packet: DiscoveryPacket,
    check: string,
    address: string,
    port: number,
  ): boolean {
    if (known !== null) {
      if (!this.#isOther(known.id)) return false
      this.#send({ type: 'pong', ...this.#here(), ...this.#tail(check) }, address, port)
      return true
    }
    if (!this.#gate.mayCost(false, this.#options.clock())) return false
    const id = recoverSender(packet)?.toString('hex')
    if (id === undefined || !this.#isOther(id)) return false
    const ping = () => this.#pingStranger(id, address, port, true)
    const pong = () => this.#pongStranger(check, address, port)
    // Where one PONG was sent our PING does more: the sender answers it, and introduces itself again if it has to.
    const [first, second] = this.#limits.hasPong(address, port, this.#options.clock())
      ? [ping(), pong()]
      : [pong(), ping()]
    return first || second
  }

  #pongStranger(check: string, address: string, port: number): boolean {
    const pong = this.#encode({ type: 'pong', ...this.#here(), ...this.#tail(check) })
    if (!this.#limits.mayPong(address, port, pong.length, this.#options.clock())) return false
    this.#sendBytes(pong, address, port)
    return true
  }

  #pingStranger(id: string, address: string, port: number, onCredit: boolean): boolean {
    return this.#ping({ address, port, id, reason: 'stranger', attempt: 1, challenge: null }, onCredit)
  }

  /** The sender got our PONG; its own, or our PING, was lost: it is asked again once enough came from it. */
  #onEarlyFindNode(packet: DiscoveryPacket, address: string, port: number): boolean {
    const now = this.#options.clock()
    if (this.#contacts.hasAddress(address) || !this.#limits.hasPong(address, port, now)) return false
    if (!this.#gate.mayCost(false, now)) return false
    const id = recoverSender(packet)?.toString('hex')
    if (id === undefined || !this.#isOther(id)) return false
    return this.#pingStranger(id, address, port, false)
  }

  #onFindNode(asking: KnownNode, check: string): boolean {
    if (!this.#isOther(asking.id)) return false
    const { refusesAddress, random } = this.#options
    const known = this.#contacts.inTable().filter((node) => !refusesAddress(node.address))
    const nodes = neighborsOf(asking, known, random)
    this.#send({ type: 'neighbors', nodes, ...this.#tail(check) }, asking.address, asking.port)
    return true
  }

  #isOther(id: string): boolean {
    return id !== this.#ownId && !this.#options.refusesNode(id)
  }

  #onPong(key: Buffer, address: string, port: number): void {
    const now = this.#options.clock()
    const challenge = this.#contacts.record(key, address, port, now)
    if (challenge === null || now - challenge.oldest.seenAt < FRESH_TIME) return
    this.#pingKnown(challenge.oldest, challenge)
  }

  #onNeighbors(nodes: readonly NodeEntry[], sender: string): void {
    for (const { id, address, port } of namedNodes(nodes, sender)) {
      if (!this.#isOther(id) || this.#contacts.find(id, address, port) !== null) continue
      this.#ping({ address, port, id, reason: 'neighbor', attempt: 1, challenge: null })
    }
  }

  #giveUp({ id, address, port, challenge }: OpenRequest): void {
    if (challenge !== null) this.#contacts.settle(challenge)
    else if (id !== null && this.#contacts.find(id, address, port) !== null) this.#contacts.forget(id)
  }

  #pingKnown({ address, port, id }: KnownNode, challenge: Challenge | null): void {
    this.#ping({ address, port, id, reason: 'known', attempt: 1, challenge })
  }

  /** @returns whether it was sent */
  #ping(asked: Omit<OpenRequest, 'kind' | 'sentAt'>, onCredit = true): boolean {
    const { address, port, reason } = asked
    if (this.#questions.isPinged(address, port) || !this.#mayAsk(reason, address)) return false
    const check = this.#options.uuid()
    const least = reason === 'named' ? NAMED_PING_BYTES : 0
    const ping = this.#encode({ type: 'ping', ...this.#here(), ...this.#tail(check) }, least)
    const now = this.#options.clock()
    if (!this.#limits.mayPing(reason, { address, port, bytes: ping.length, now, onCredit })) return false
    this.#questions.add(check, { ...asked, kind: 'ping', sentAt: now })
    this.#sendBytes(ping, address, port)
    return true
  }

  #ask(node: KnownNode): void {
    const { address, port, id } = node
    if (!this.#mayAsk('known', address)) return
    const check = this.#options.uuid()
    const sentAt = this.#options.clock()
    node.askedAt = sentAt
    const question = { kind: 'findNode', address, port, id, reason: 'known', sentAt, attempt: 1 } as const
    this.#questions.add(check, { ...question, challenge: null })
    this.#send({ type: 'findNode', nodeId: this.#options.key.id, ...this.#tail(check) }, address, port)
  }

  #mayAsk(reason: OpenRequest['reason'], address: string): boolean {
    return this.#questions.hasCapacity(reason, address) && !this.#options.refusesAddress(address)
  }

  /** Both endpoints of a packet are those of the sender. */
  #here(): { from: Endpoint; to: Endpoint } {
    const { host, port } = this.#options
    const here = { host, udp: port, tcp: port }
    return { from: here, to: here }
  }

  #tail(check: string): { check: string; networkId: number } {
    return { check, networkId: this.#options.networkId }
  }

  #send(message: DiscoveryMessage, address: string, port: number): void {
    this.#sendBytes(this.#encode(message), address, port)
  }

  #encode(message: DiscoveryMessage, least = 0): Buffer {
    return encodePacket(message, this.#options.key.privateKey, least)
  }

  #sendBytes(bytes: Buffer, address: string, port: number): void {
    this.#sent += 1
    this.#options.send(bytes, port, address)
  }
}

/** Id of the sender; null where it is not the expected one. @param expected 128 hex digits; null for any */
function senderOf(packet: DiscoveryPacket, expected: string | null): Buffer | null {
  if (expected === null) return recoverSender(packet)
  const key = Buffer.from(expected, 'hex')
  return isSender(packet, key) ? key : null
}

function tryDecode(bytes: Buffer): DiscoveryPacket | null {
  try {
    return decodePacket(bytes)
  } catch {
    return null
  }
}
