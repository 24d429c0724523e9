import type { CloseReason, Connection } from '../connection/connection.ts'
import { FRAME_CODES } from '../messages/codes.ts'
import { decodeEthStatus, encodeEthStatus } from '../messages/ethStatus.ts'
import { decodePeerMessage, encodePeerMessage } from '../messages/rskCodec.ts'
import type { ChainStatus, PeerMessage, PeerRequest, ResponseTo } from '../messages/rskMessage.ts'
import { type Peer, PeerRequestError } from '../peer.ts'
import type { ScoreEventName } from '../scoring/scoreEvents.ts'
import { P2pError } from '../wire/p2pError.ts'
import { checkStatus, ETH_PROTOCOL_VERSION } from './checkStatus.ts'
import type { Seat } from './eviction.ts'
import { InboundRate } from './inboundRate.ts'
import { Inbox } from './inbox.ts'
import { TRUSTED_FACTOR } from './limits.ts'
import { MinuteAllowance } from './minuteAllowance.ts'
import { plainAddress } from './networkGroup.ts'
import { Outbox } from './outbox.ts'
import type { PeerAccount } from './peerMemory.ts'
import type { PeerServices } from './peerServices.ts'
import { isAnswer, PendingRequests } from './pendingRequests.ts'
import { UnaskedPace } from './unaskedPace.ts'

/** Time after the handshake after which a silent peer counts as connected, milliseconds (p2p.md §7). */
const SILENT_MS = 1000

/** Listener for the state of a peer. */
export interface PeerEvents {
  onReady(peer: ConnectedPeer): void
  onMessage(peer: ConnectedPeer, message: PeerMessage): void | Promise<void>
  /** Once, also for a peer that was never ready. */
  onGone(peer: ConnectedPeer, why: CloseReason): void
}

/** Counters of a peer. */
export interface PeerCounts {
  sent: number
  received: number
  /** Messages beyond what is handled in a minute. */
  excess: number
  /** Repeated messages. */
  repeated: number
  /** Blocks and transactions of it that were new and valid. */
  useful: number
}

/** A peer over a connection. */
export class ConnectedPeer implements Peer {
  readonly id: string
  readonly address: string
  readonly port: number
  readonly inbound: boolean
  readonly trusted: boolean
  readonly client: string
  readonly snap: boolean
  readonly ranges: boolean
  /** Milliseconds, steady clock. */
  readonly connectedAt: number
  readonly counts: PeerCounts = { sent: 0, received: 0, excess: 0, repeated: 0, useful: 0 }
  readonly #connection: Connection
  readonly #services: PeerServices
  readonly #events: PeerEvents
  readonly #memory: PeerAccount
  readonly #outgoing: PeerAccount
  readonly #pending: PendingRequests
  readonly #outbox: Outbox
  readonly #inbox: Inbox
  /** Null where the limit is in bytes. */
  readonly #rate: InboundRate | null
  readonly #pace: UnaskedPace
  #status: (ChainStatus & { readonly receivedAt: number }) | null = null
  #isReady = false
  #isGone = false
  #cancelSilence: (() => void) | null = null

  constructor(connection: Connection, trusted: boolean, services: PeerServices, events: PeerEvents) {
    const { scheduler, memory, outgoing, paces } = services
    this.#connection = connection
    this.#services = services
    this.#events = events
    this.id = connection.remoteId.toString('hex')
    this.address = plainAddress(connection.address)
    this.port = connection.hello.listenPort
    this.inbound = connection.inbound
    this.trusted = trusted
    this.client = connection.hello.client
    this.snap = connection.hello.capabilities.some(({ name, version }) => name === 'snap' && version === 1)
    this.ranges = connection.shares('rhizome', 1)
    this.connectedAt = scheduler.now()
    const reclaim = trusted ? null : () => this.disconnect(null)
    this.#memory = memory.open(reclaim)
    this.#outgoing = outgoing.open(reclaim)
    const factor = trusted ? TRUSTED_FACTOR : 1
    this.#rate = this.ranges ? null : new InboundRate(scheduler, factor)
    this.#pace = new UnaskedPace(scheduler, factor)
    this.#pending = new PendingRequests(scheduler, () => this.score('timeoutMessage'))
    this.#outbox = new Outbox({
      connection,
      allowance: this.ranges || !paces ? null : new MinuteAllowance(scheduler),
      outgoing: this.#outgoing,
      memory: this.#memory,
      scheduler,
      onStall: () => this.disconnect(null),
      onCapacity: () => this.#inbox.wake(),
    })
    this.#inbox = new Inbox({
      memory: this.#memory,
      deliver: (message) => this.#events.onMessage(this, message),
      mustWait: () => this.#outbox.mustWait(),
      onFault: (error) => services.log.error({ error, peer: this.id }, 'a message could not be dealt with'),
    })
    connection.frameMemory = this.#memory
    connection.onBytes = (count) => (this.#pending.size > 0 ? undefined : this.#pace.bytes(count))
    connection.onClose((why) => this.#end(why))
  }

  /** Sends both STATUS and listens. */
  start(): void {
    const { chain, scheduler } = this.#services
    const status = chain.status()
    if (this.#isGone) return
    this.#connection.send(
      FRAME_CODES.ethStatus,
      encodeEthStatus({
        protocolVersion: ETH_PROTOCOL_VERSION,
        networkId: chain.networkId,
        totalDifficulty: status.totalDifficulty,
        bestHash: status.bestHash,
        genesisHash: chain.genesisHash,
      }),
    )
    this.send({ type: 'status', status })
    this.#cancelSilence = scheduler.after(SILENT_MS, () => this.#ready())
    this.#connection.onFrame((code, payload) => this.#receive(code, payload))
  }

  get status(): (ChainStatus & { readonly receivedAt: number }) | null {
    return this.#status
  }

  get isGone(): boolean {
    return this.#isGone
  }

  get isReady(): boolean {
    return this.#isReady
  }

  /** Its properties for admission and eviction. */
  get seat(): Seat {
    const { id, address, inbound, trusted, connectedAt, latency, counts } = this
    return { id, address, inbound, trusted, connectedAt, latency, useful: counts.useful }
  }

  get allowance(): number {
    return this.#isGone || !this.#pending.hasCapacity ? 0 : this.#outbox.allowance
  }

  /** Mean latency, milliseconds; null before the first response. */
  get latency(): number | null {
    return this.#pending.latency
  }

  /** Bytes in use for it, and messages dropped for lack of memory. */
  get held(): { readonly bytes: number; readonly droppedIn: number; readonly droppedOut: number } {
    return { bytes: this.#memory.used, droppedIn: this.#inbox.dropped, droppedOut: this.#outbox.dropped }
  }

  /** Announced capabilities, e.g. `rsk/62`. */
  get capabilities(): string[] {
    return this.#connection.hello.capabilities.map(({ name, version }) => `${name}/${version}`)
  }

  get bytesIn(): number {
    return this.#connection.bytesIn
  }

  get bytesOut(): number {
    return this.#connection.bytesOut
  }

  async request<Q extends PeerRequest>(
    question: Omit<Q, 'id'> & { type: Q['type'] },
    timeout: number,
  ): Promise<ResponseTo<Q>> {
    if (this.#isGone) throw new PeerRequestError('GONE', 'the peer is gone')
    if (this.allowance < 1) throw new PeerRequestError('BUSY', 'no further question may be sent now')
    const id = this.#services.ids.next()
    // The compiler cannot see that a question of a type with its id is one of that type.
    const asked = { ...question, id } as unknown as Q
    const frame = encodePeerMessage(asked)
    const answer = this.#pending.wait(asked, timeout)
    if (!this.#outbox.ask(frame)) {
      this.#pending.forget(id)
      throw new PeerRequestError('BUSY', 'no further question may be sent now')
    }
    this.counts.sent += 1
    return (await answer) as ResponseTo<Q>
  }

  send(message: PeerMessage, isAsked: boolean = isAnswer(message)): boolean {
    const urgency = isAsked || message.type === 'transactions' ? 'paced' : 'atOnce'
    if (this.#isGone || !this.#outbox.push(encodePeerMessage(message), urgency)) return false
    this.counts.sent += 1
    return true
  }

  score(event: ScoreEventName): void {
    const { judge } = this.#services
    judge.record(this, event)
    if (event === 'validBlock' || event === 'validTransaction') this.counts.useful += 1
    if (judge.refusesNode(this.id) || judge.refusesAddress(this.address)) this.disconnect(null)
  }

  /** @param reason null: the connection ends without DISCONNECT */
  disconnect(reason: number | null): void {
    if (reason === null) this.#connection.close()
    else this.#connection.close(reason)
    this.#end({ kind: 'local', reason })
  }

  #receive(code: number, payload: Buffer): Promise<void> | undefined {
    if (this.#isGone) return undefined
    if (code === FRAME_CODES.ethStatus) {
      this.#checkStatus(payload)
      return this.#pace.message(false)
    }
    if (code !== FRAME_CODES.rskMessage && !(code === FRAME_CODES.rangeMessage && this.ranges))
      throw new P2pError('MESSAGE', `code ${code} is not used`)
    this.counts.received += 1
    // Responses are bounded by the requests; while there are open ones, excess is detected only after
    // decoding.
    if (this.#rate?.isSpent === true && this.#pending.size === 0) {
      this.counts.excess += 1
      return this.#pace.message(true)
    }
    const message = decodePeerMessage(code, payload)
    this.#ready()
    if (isAnswer(message) && this.#pending.settle(message)) return undefined
    if (this.#rate?.admit() === false) {
      this.counts.excess += 1
      return this.#pace.message(true)
    }
    const paced = this.#pace.message(false)
    const kept = this.#keep(message, payload)
    return paced === undefined || kept === undefined ? (paced ?? kept) : paced.then(() => kept)
  }

  /**
   * Accepts an unsolicited message, or drops it. @returns what the connection waits for before it reads on
   */
  #keep(message: PeerMessage, payload: Buffer): Promise<void> | undefined {
    if (isAnswer(message)) {
      this.score('unexpectedMessage')
      return undefined
    }
    // A message that does not fit is not recorded as seen: it may come from another peer.
    if (this.#inbox.hasCapacity(payload.length) && this.#isKnown(message, payload)) return undefined
    if (message.type === 'status')
      this.#status = { ...message.status, receivedAt: this.#services.scheduler.now() }
    return this.#inbox.push(message, payload.length)
  }

  #checkStatus(payload: Buffer): void {
    const mismatch = checkStatus(decodeEthStatus(payload), this.#services.chain)
    if (mismatch === null) return
    this.score(mismatch.event)
    this.disconnect(mismatch.reason)
  }

  #isKnown(message: PeerMessage, payload: Buffer): boolean {
    if (message.type !== 'block' && message.type !== 'transactions') return false
    const sighting = this.#services.seen.record(payload, this.id)
    if (sighting === 'new') return false
    this.counts.repeated += 1
    if (sighting === 'repeated') this.score('repeatedMessage')
    return true
  }

  #ready(): void {
    if (this.#isReady || this.#isGone) return
    this.#isReady = true
    this.#cancelSilence?.()
    this.#events.onReady(this)
  }

  #end(why: CloseReason): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#cancelSilence?.()
    this.#pending.close()
    this.#outbox.close()
    this.#inbox.close()
    this.#memory.close()
    this.#outgoing.close()
    this.#events.onGone(this, why)
  }
}
