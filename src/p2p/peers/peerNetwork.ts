import type { Connection } from '../connection/connection.ts'
import { DISCONNECT_REASONS } from '../messages/codes.ts'
import type { Peer, PeerSet } from '../peer.ts'
import { Acceptor, type AcceptorParts } from './acceptor.ts'
import { ConnectedPeer } from './connectedPeer.ts'
import { ConnectRate } from './connectRate.ts'
import { Dialer, STAYED_MS } from './dialer.ts'
import { type BackOff, CANDIDATE_BACK_OFF, DialHistory, STATIC_BACK_OFF } from './dialHistory.ts'
import type { Seat } from './eviction.ts'
import { HalfOpen } from './halfOpen.ts'
import { networkGroup, plainAddress } from './networkGroup.ts'
import { PeerAdmission } from './peerAdmission.ts'
import { PeerMemory } from './peerMemory.ts'
import type { PeerNetworkOptions } from './peerNetworkOptions.ts'
import type { PeerServices } from './peerServices.ts'
import { type PeerNetworkStats, REFUSALS, type Refusal, statsOf } from './peerStats.ts'
import { RequestIds } from './pendingRequests.ts'
import type { PeerAddress, PeerTransport } from './ports.ts'
import { RecentDrops } from './recentDrops.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import { SeenMessages } from './seenMessages.ts'
import { TrustedPeers } from './trustedPeers.ts'

/** Timeout for connections to end, milliseconds. */
const CLOSE_MS = 800

/** Reasons after which an address is refused for a while: it was not admitted (p2p.md §7). */
const SENT_AWAY: ReadonlySet<Refusal> = new Set(['duplicate', 'full', 'addressFull', 'groupFull'])

/** Interval of checks whether a peer was banned meanwhile, milliseconds. */
const SWEEP_MS = 3000

/** The peers of this node: accepts connections, dials nodes, and disconnects peers that break the rules. */
export class PeerNetwork implements PeerSet {
  readonly memory: PeerMemory
  readonly #options: PeerNetworkOptions
  readonly #scheduler: Scheduler
  readonly #services: PeerServices
  readonly #trust: TrustedPeers
  readonly #drops: RecentDrops
  readonly #admission: PeerAdmission
  readonly #halfOpen: HalfOpen
  readonly #history: DialHistory
  readonly #backOff: BackOff
  readonly #dialer: Dialer
  /** Nodes that are dialled repeatedly, by their id. */
  readonly #statics = new Map<string, PeerAddress>()
  /** Members of the own fleet that are dialled as well, by their id. */
  #linked: ReadonlyMap<string, PeerAddress> = new Map()
  readonly #members = new Map<string, ConnectedPeer>()
  /** Addresses at which peers were dialled that this node chose. */
  readonly #dialled = new WeakMap<ConnectedPeer, PeerAddress>()
  readonly #refused = Object.fromEntries(REFUSALS.map((why) => [why, 0])) as Record<Refusal, number>
  #ready: readonly Peer[] = []
  #evicted = 0
  #pastBytes = { in: 0, out: 0 }
  #transport: PeerTransport
  #acceptor: Acceptor | null = null
  #cancelSweep: (() => void) | null = null
  #isClosed = false

  private constructor(options: PeerNetworkOptions) {
    const { limits, judge, log, chain, random = Math.random } = options
    const scheduler = options.scheduler ?? createScheduler()
    this.#options = options
    this.#scheduler = scheduler
    this.#transport = options.transport(0)
    this.memory = new PeerMemory({ peer: limits.peerBytes, total: limits.totalBytes })
    this.#services = {
      chain,
      judge,
      memory: this.memory,
      outgoing: new PeerMemory({ peer: limits.outgoingPeerBytes, total: limits.outgoingTotalBytes }),
      seen: new SeenMessages(),
      ids: new RequestIds(),
      scheduler,
      paces: options.paces ?? true,
      log,
    }
    this.#trust = new TrustedPeers(options.trusted.ids, options.trusted.subnets)
    for (const node of options.statics) this.#statics.set(node.id, node)
    this.#drops = new RecentDrops(scheduler)
    this.#admission = new PeerAdmission({
      limits,
      judge,
      drops: this.#drops,
      rate: new ConnectRate(scheduler),
      ownId: options.ownId,
      now: scheduler.now,
      random,
    })
    this.#halfOpen = new HalfOpen({ limits, memory: this.memory, random, after: scheduler.after })
    this.#history = new DialHistory(scheduler, random)
    this.#backOff = options.backOff ?? CANDIDATE_BACK_OFF
    this.#dialer = new Dialer({
      source: options.candidates,
      statics: () => [...new Map([...this.#linked, ...this.#statics]).values()],
      history: this.#history,
      dial: (node, signal) => this.#dial(node, signal),
      freeSlots: () => this.#slotsToDial(),
      groups: () => this.#outboundGroups(),
      mostPerGroup: limits.outboundPerGroup,
      isAlone: () => this.#members.size === 0,
      backOff: this.#backOff,
      isRefused: (node) => this.#isRefused(node),
      scheduler,
      random,
      log,
    })
  }

  /** Listens if configured, and starts to dial. @throws the error of the port */
  static async open(options: PeerNetworkOptions): Promise<PeerNetwork> {
    const network = new PeerNetwork(options)
    const { listen } = options
    if (listen !== null) {
      network.#acceptor = await Acceptor.open(listen.host, listen.port, network.#acceptorParts())
      // Peers learn the actual port, which the system may have chosen.
      network.#transport = options.transport(network.port ?? 0)
    }
    network.#dialer.start()
    network.#sweep()
    return network
  }

  get peers(): readonly Peer[] {
    return this.#ready
  }

  /** The port that is listened on; null when none is. */
  get port(): number | null {
    return this.#acceptor?.listening?.port ?? null
  }

  /** Stats for operators, `net_*` and `sco_*`. */
  stats(): PeerNetworkStats {
    const peers = [...this.#members.values()].filter(({ isReady }) => isReady)
    const now = this.#scheduler.now()
    return {
      listening: this.#acceptor?.listening ?? null,
      inbound: peers.filter(({ inbound }) => inbound).length,
      outbound: peers.filter(({ inbound }) => !inbound).length,
      halfOpen: this.#halfOpen.size,
      evicted: this.#evicted,
      refused: { ...this.#refused },
      dials: this.#dialer.stats,
      memory: this.memory.stats(),
      outgoingMemory: this.#services.outgoing.stats(),
      bytesIn: this.#sum(({ bytesIn }) => bytesIn) + this.#pastBytes.in,
      bytesOut: this.#sum(({ bytesOut }) => bytesOut) + this.#pastBytes.out,
      peers: peers.map((peer) =>
        statsOf(peer, this.isStatic(peer.id), now, this.#options.judge.score(peer.id)),
      ),
    }
  }

  /** Dials a node repeatedly from now on. @returns false for this node itself */
  add(node: PeerAddress): boolean {
    if (node.id === this.#options.ownId) return false
    this.#statics.set(node.id, node)
    // An operator who names it wants it now, whatever happened before.
    this.#history.stayed(node)
    return true
  }

  /** Ends the connection to a node and stops dialling it. @returns whether there was one */
  remove(id: string): boolean {
    this.#statics.delete(id)
    const peer = this.#members.get(id)
    peer?.disconnect(DISCONNECT_REASONS.requested)
    return peer !== undefined
  }

  /**
   * The members of the own fleet, in place of those before.
   * @param connect those that are dialled repeatedly
   */
  setMembers(connect: readonly PeerAddress[], trusted: readonly PeerAddress[]): void {
    for (const node of connect) if (!this.#linked.has(node.id)) this.#history.stayed(node)
    this.#linked = new Map(
      connect.filter(({ id }) => id !== this.#options.ownId).map((node) => [node.id, node]),
    )
    this.#trust.setMembers(trusted)
  }

  /** True when there is to be a permanent connection to a node: by the operator, or as a member of the own fleet. */
  isStatic(id: string): boolean {
    return this.#statics.has(id) || this.#linked.has(id)
  }

  /** Ends all connections, within a second. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelSweep?.()
    this.#dialer.stop()
    this.#halfOpen.close()
    const ended = this.#acceptor?.close()
    for (const peer of [...this.#members.values()]) peer.disconnect(DISCONNECT_REASONS.peerQuitting)
    const late = new Promise<void>((resolve) => void this.#scheduler.after(CLOSE_MS, resolve))
    await Promise.race([ended, late])
  }

  #acceptorParts(): AcceptorParts {
    return {
      accept: (socket, signal) => this.#transport.accept(socket, signal),
      halfOpen: this.#halfOpen,
      screen: (address) => this.#admission.screen(address, this.#trust.maySkipLimits(address), this.#seats()),
      onConnection: (connection) => void this.#adopt(connection),
      onRefused: (why, address) => {
        this.#refused[why] += 1
        if (why === 'handshake') this.#options.judge.record({ id: null, address }, 'failedHandshake')
      },
    }
  }

  async #dial(node: PeerAddress, signal: AbortSignal): Promise<void> {
    const connection = await this.#transport.dial(node, signal)
    const peer = this.#adopt(connection)
    if (peer === null) throw new Error('the node found no slot')
    this.#dialled.set(peer, node)
  }

  /** Admits a connection, or ends it. @returns null when it ended */
  #adopt(connection: Connection): ConnectedPeer | null {
    const id = connection.remoteId.toString('hex')
    const trusted = this.isStatic(id) || this.#trust.trusts(id, plainAddress(connection.address))
    const peer = new ConnectedPeer(connection, trusted, this.#services, {
      onReady: (ready) => this.#onReady(ready),
      onMessage: (from, message) => this.#options.listener.onMessage(from, message),
      onGone: (gone) => this.#onGone(gone),
    })
    const placement = this.#admission.decide(peer.seat, this.#seats(), peer.ranges)
    if (placement.kind === 'refuse') {
      this.#refuse(peer, placement)
      return null
    }
    if (peer.isGone || this.#isClosed) {
      peer.disconnect(null)
      return null
    }
    if (placement.instead !== null) this.#evict(placement.instead.id)
    this.#members.set(peer.id, peer)
    this.#options.judge.record(peer, 'successfulHandshake')
    peer.start()
    return peer.isGone ? null : peer
  }

  #refuse(peer: ConnectedPeer, { why, reason }: { why: Refusal; reason: number | null }): void {
    this.#refused[why] += 1
    if (peer.inbound && SENT_AWAY.has(why)) this.#drops.record(peer.address)
    // A peer that is not admitted gets our status before it is disconnected, as from the reference (p2p.md §7).
    if (why === 'full') peer.start()
    peer.disconnect(reason)
  }

  #evict(id: string): void {
    this.#evicted += 1
    this.#members.get(id)?.disconnect(DISCONNECT_REASONS.tooManyPeers)
  }

  #onReady(peer: ConnectedPeer): void {
    if (this.#members.get(peer.id) !== peer) return
    this.#listReady()
    this.#options.listener.onPeer(peer)
  }

  #onGone(peer: ConnectedPeer): void {
    if (this.#members.get(peer.id) !== peer) return
    this.#members.delete(peer.id)
    this.#pastBytes.in += peer.bytesIn
    this.#pastBytes.out += peer.bytesOut
    this.#options.judge.record(peer, 'disconnection')
    const node = this.#dialled.get(peer)
    if (node !== undefined) this.#recordStay(peer, node)
    if (!peer.isReady) return
    this.#listReady()
    this.#options.listener.onPeerGone(peer)
  }

  #recordStay(peer: ConnectedPeer, node: PeerAddress): void {
    const isStatic = this.isStatic(node.id)
    if (this.#scheduler.now() - peer.connectedAt >= STAYED_MS) this.#history.stayed(node)
    else this.#history.failed(node, isStatic ? STATIC_BACK_OFF : this.#backOff)
  }

  #listReady(): void {
    this.#ready = [...this.#members.values()].filter(({ isReady }) => isReady)
  }

  #seats(): Seat[] {
    return [...this.#members.values()].map(({ seat }) => seat)
  }

  #slotsToDial(): number {
    const { limits } = this.#options
    const counted = [...this.#members.values()].filter(({ trusted }) => !trusted)
    const outbound = counted.filter(({ inbound }) => !inbound).length
    return Math.min(limits.outbound - outbound, limits.peers - counted.length)
  }

  #outboundGroups(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { inbound, address } of this.#members.values()) {
      const group = networkGroup(address)
      if (!inbound) counts.set(group, (counts.get(group) ?? 0) + 1)
    }
    return counts
  }

  #isRefused({ id, address }: PeerAddress): boolean {
    const { judge, ownId } = this.#options
    return id === ownId || this.#members.has(id) || judge.refusesAddress(address) || judge.refusesNode(id)
  }

  #sweep(): void {
    const { judge } = this.#options
    for (const peer of [...this.#members.values()]) {
      if (judge.refusesNode(peer.id) || judge.refusesAddress(peer.address)) peer.disconnect(null)
    }
    if (!this.#isClosed) this.#cancelSweep = this.#scheduler.after(SWEEP_MS, () => this.#sweep())
  }

  #sum(of: (peer: ConnectedPeer) => number): number {
    return [...this.#members.values()].reduce((sum, peer) => sum + of(peer), 0)
  }
}
