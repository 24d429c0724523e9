import type { Checkpoint } from '../../config/checkpoints.ts'
import type { Logger } from '../../observe/logger.ts'
import type { PeerMessage } from '../../p2p/messages/rskMessage.ts'
import type { Peer, PeerSet } from '../../p2p/peer.ts'
import { createSteadyClock } from '../../util/steadyClock.ts'
import type { Halt } from '../halt/halt.ts'
import { reasonOf, stallOf } from '../halt/stall.ts'
import { Stalls } from '../halt/stalls.ts'
import type { BlockRefusal, SyncChain } from '../syncChain.ts'
import { type BodyMatch, BodyRules } from './bodyMatch.ts'
import { BranchBudget } from './branchBudget.ts'
import { Checkpoints } from './checkpointCheck.ts'
import { Halts } from './halts.ts'
import { type HeaderCheck, HeaderRules } from './headerCheck.ts'
import { DEFAULT_SYNC_LIMITS, type SyncLimits } from './limits.ts'
import { Wake } from './pause.ts'
import { PeerChoice } from './peerChoice.ts'
import { PeerClaims } from './peerClaims.ts'
import { FAR_BEHIND } from './protocol.ts'
import { type BlamedPeer, RefusedBranches } from './refusedBranches.ts'
import type { SessionDeps } from './sessionDeps.ts'
import { SmallGap } from './smallGap.ts'
import { SyncSession } from './syncSession.ts'
import { type SyncStats, SyncStatsCollector } from './syncStats.ts'
import { TipFollower } from './tipFollower.ts'

/** Parts of synchronisation. */
export interface SyncClientOptions {
  readonly chain: SyncChain
  readonly peers: PeerSet
  readonly checkpoints?: readonly Checkpoint[]
  readonly limits?: Partial<SyncLimits>
  readonly check?: HeaderCheck
  readonly match?: BodyMatch
  readonly logger?: Logger
  /** Milliseconds, steady. */
  readonly now?: () => number
  /** A number from 0 to below 1. */
  readonly random?: () => number
  /** True when the operator configured the peer. */
  readonly isStatic?: (peer: Peer) => boolean
  /** Called to revoke the scores of peers. */
  onForgiven(peers: readonly BlamedPeer[]): void
  /** Called when the chain cannot go on, for another reason than before, or goes on again (null). */
  onHalt(halt: Halt | null): void
}

/** Interval of the choice of a peer when nothing happens, milliseconds. */
const TICK = 1_000

/**
 * Brings the chain to the head of the network and keeps it there (p2p.md §5, §6): one branch at a time is
 * fetched from the peers that have it; near the tip single blocks are followed. Only the chain is persistent,
 * so that it resumes after any end of the process.
 */
export class SyncClient {
  readonly #options: SyncClientOptions
  readonly #limits: SyncLimits
  readonly #progress: SyncStatsCollector
  readonly #choice: PeerChoice
  readonly #follower: TipFollower
  readonly #sessionDeps: SessionDeps
  readonly #halts: Halts
  readonly #stalls: Stalls
  readonly #claims: PeerClaims
  readonly #endOfHeads: () => void
  readonly #wake = new Wake()
  #session: SyncSession | null = null
  readonly #gap: SmallGap
  #hasFollowed = false
  #closed = false
  #loop: Promise<void> | null = null

  constructor(options: SyncClientOptions) {
    const { chain, random = Math.random, isStatic = () => false } = options
    this.#options = options
    this.#limits = { ...DEFAULT_SYNC_LIMITS, ...options.limits }
    const now = options.now ?? createSteadyClock()
    this.#progress = new SyncStatsCollector(now)
    this.#choice = new PeerChoice({ limits: this.#limits, now, isStatic })
    const refused = new RefusedBranches()
    const reports = {
      chain,
      limits: this.#limits,
      onChange: () => this.#haltChanged(),
      ...(options.logger === undefined ? {} : { logger: options.logger }),
    }
    this.#stalls = new Stalls({ ...reports, now })
    this.#halts = new Halts({
      ...reports,
      refused,
      stalls: this.#stalls,
      onFailed: (peer) => this.#choice.failed(peer),
      onForgiven: (peers) => options.onForgiven(peers),
    })
    this.#endOfHeads = chain.onTip(() => {
      chain.refresh()
      this.#stalls.advanced()
    })
    const check = options.check ?? new HeaderRules({ spec: chain.spec, reader: chain.reader })
    this.#claims = new PeerClaims({
      chain,
      peers: options.peers,
      choice: this.#choice,
      limits: this.#limits,
      check,
      stalls: this.#stalls,
      now,
      onError: (peer, error) => this.#internalError(peer, error),
    })
    const shared = {
      chain,
      limits: this.#limits,
      check,
      match: options.match ?? new BodyRules(chain.spec),
      checkpoints: new Checkpoints(options.checkpoints ?? []),
      refused,
      stalls: this.#stalls,
      budget: new BranchBudget(this.#limits, now),
      progress: this.#progress,
      height: this.#claims,
      now,
      onRefused: (refusal: BlockRefusal, offering: readonly Peer[], leader: Peer, weight: bigint) =>
        this.#halts.insisted(refusal, offering, leader, weight),
    }
    this.#sessionDeps = {
      ...shared,
      random,
      leaders: () => this.#leaders(),
      threshold: () => this.#halts.threshold,
      onFailed: (peer) => this.#choice.failed(peer),
      onUnkept: (peer) => this.#claims.unkept(peer),
      onOutweighs: () => this.#halts.resume(),
    }
    this.#follower = new TipFollower({
      ...shared,
      // Announcements are followed as long as the branch of a session is no more than a claim.
      isFetching: () => this.#session?.outweighs === true,
      isHalted: () => this.#halts.halt !== null,
      isFarBehind: () => this.hasBetterBlockToSync,
      onGap: () => this.#wake.raise(),
    })
    this.#gap = new SmallGap({
      chain,
      limits: this.#limits,
      now,
      leaders: () => this.#leaders(),
      announced: (peer, blocks) => this.#follower.announced(peer, blocks),
    })
  }

  /** Starts; peers may be connected already. */
  start(): void {
    this.#loop ??= this.#run()
  }

  /** Stops; blocks passed to the chain are awaited. */
  async close(): Promise<void> {
    this.#closed = true
    this.#endOfHeads()
    this.#claims.close()
    this.#follower.close()
    this.#session?.stop()
    this.#wake.raise()
    await this.#loop
  }

  /**
   * Halts for good: a block of our own chain turned out to be invalid, so that its descendants are worthless.
   */
  stopAt(refusal: BlockRefusal): void {
    this.#session?.stop()
    this.#halts.stopAt(refusal)
  }

  /** True when the network is known to be far above (p2p.md §6): then transactions are not relayed. */
  get hasBetterBlockToSync(): boolean {
    return this.#claims.highest >= this.#options.chain.tip.number + FAR_BEHIND
  }

  /** The reason why the chain does not go on. */
  get halt(): Halt | null {
    return this.#halts.halt ?? this.#stalls.halt
  }

  /** Bytes of announced blocks that wait for their parents. */
  get waitingBytes(): number {
    return this.#follower.waitingBytes
  }

  get stats(): SyncStats {
    this.#progress.highestBlock = this.#claims.highest
    return this.#progress.stats(this.#options.chain.tip.number)
  }

  onPeer(peer: Peer): void {
    this.#session?.peerKnown(peer)
    this.#claims.tick()
    this.#wake.raise()
  }

  onPeerGone(peer: Peer): void {
    this.#follower.peerGone(peer)
    this.#session?.peerGone(peer)
    this.#wake.raise()
  }

  /** @returns when the message was handled; messages of other kinds are ignored */
  async onMessage(peer: Peer, message: PeerMessage): Promise<void> {
    if (this.#closed) return
    switch (message.type) {
      case 'status':
        this.onPeer(peer)
        return
      case 'block':
        return this.#guarded(peer, () => this.#follower.received(peer, message.block))
      case 'newBlockHashes':
        this.#follower.announced(peer, message.blocks)
        return
      case 'newBlockHash':
        return this.#guarded(peer, () => this.#follower.announcedHash(peer, message.hash))
      default:
    }
  }

  /** An internal error is no peer's fault and does not end synchronisation. */
  async #guarded(peer: Peer, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#internalError(peer, error)
    }
  }

  #internalError(peer: Peer, error: unknown): void {
    this.#stalls.record(stallOf('internalError', { reason: reasonOf(error), peers: [peer], error }))
  }

  /** Runs about once a second. */
  #tick(): void {
    this.#follower.tick()
    this.#stalls.check()
    this.#claims.tick()
  }

  #haltChanged(): void {
    if (this.halt !== null) this.#progress.stage = 'halted'
    this.#options.onHalt(this.halt)
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      this.#tick()
      const leader = this.#choose()
      if (leader === null) {
        await this.#wake.wait(TICK)
        continue
      }
      await this.#follow(leader)
    }
  }

  async #follow(leader: Peer): Promise<void> {
    const { chain, logger } = this.#options
    if (this.#progress.stage === 'following' || this.#progress.stage === 'waiting') {
      this.#progress.startingBlock = chain.tip.number
    }
    this.#session = new SyncSession(this.#sessionDeps, leader)
    const ticks = setInterval(() => this.#tick(), TICK)
    ticks.unref()
    try {
      const end = await this.#session.run()
      logger?.debug({ peer: leader.id.slice(0, 8), end, number: chain.tip.number }, 'branch ended')
      if (end === 'done') this.#choice.succeeded(leader)
      else if (end !== 'stopped' && end !== 'stalled') this.#choice.failed(leader)
    } finally {
      clearInterval(ticks)
      this.#session = null
      this.#progress.peersUsed = 0
    }
  }

  /** The peer whose branch is to be fetched now, if any. */
  #choose(): Peer | null {
    const { peers } = this.#options.peers
    const [leader = null] = this.#choice.canDecide(peers) ? this.#leaders() : []
    if (leader === null) {
      this.#gap.closed()
      this.#progress.stage = this.#idleStage()
      this.#hasFollowed ||= this.#progress.stage === 'following'
      return null
    }
    const mayWait = this.#hasFollowed && this.#halts.halt === null
    return mayWait && this.#gap.isWaiting(leader) ? null : leader
  }

  /** Peers whose branches may be fetched now, best first. */
  #leaders(): Peer[] {
    return this.#choice
      .better(this.#options.peers.peers, this.#halts.threshold)
      .filter((peer) => !this.#stalls.holdsBack(peer))
  }

  #idleStage(): 'halted' | 'waiting' | 'following' {
    if (this.halt !== null) return 'halted'
    const { chain, peers } = this.#options
    if (!this.#choice.canDecide(peers.peers)) return 'waiting'
    // Who claims more and does not show it says nothing about our chain.
    const head = chain.tip.totalDifficulty
    const fit = this.#choice.known(peers.peers).some(({ status }) => (status?.totalDifficulty ?? 0n) <= head)
    return fit ? 'following' : 'waiting'
  }
}
