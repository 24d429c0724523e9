import type { Peer } from '../../p2p/peer.ts'
import type { BlockRefusal } from '../syncChain.ts'
import { BlockFeed, type CommitReport } from './blockFeed.ts'
import { BodyDownload } from './bodyDownload.ts'
import { Branch, type CheckedHeader } from './branch.ts'
import { findBranchBase } from './branchBase.ts'
import { BranchHeaders } from './branchHeaders.ts'
import { BranchStalls } from './branchStalls.ts'
import { DownloadWindow } from './downloadWindow.ts'
import { Patience } from './patience.ts'
import { createStop, Wake } from './pause.ts'
import { SessionClaims } from './sessionClaims.ts'
import type { SessionDeps, SessionEnd } from './sessionDeps.ts'
import { SideBytes } from './sideBytes.ts'
import { Suppliers } from './suppliers.ts'

/**
 * Poll interval of conditions without an event, such as the message limit of a peer's minute, milliseconds.
 */
const TICK = 250
/** Synchronises one branch, from the choice of a peer until all of it is connected or it is abandoned. */
export class SyncSession {
  readonly #deps: SessionDeps
  readonly #leader: Peer
  readonly #stop = createStop()
  readonly #wake = new Wake()
  readonly #window: DownloadWindow
  readonly #suppliers: Suppliers
  readonly #bodies: BodyDownload
  readonly #feed: BlockFeed
  #branch: Branch
  /** Height of the block that it branches off from. */
  #base = 0
  readonly #headers: BranchHeaders
  #outweighs = false
  /** Total difficulty that the peer announced when it was chosen. */
  readonly #claimed: bigint
  /** An internal error of this node. */
  #error: unknown = null
  readonly #patience: Patience
  readonly #sideBytes: SideBytes
  readonly #stalls: BranchStalls
  readonly #claims = new SessionClaims()
  /** True when all headers so far belong to stored side blocks. */
  #isKnown = true

  constructor(deps: SessionDeps, leader: Peer) {
    const { limits, match, now, random, progress } = deps
    this.#deps = deps
    this.#leader = leader
    this.#patience = new Patience(limits.patience, now)
    this.#sideBytes = new SideBytes(deps.budget, leader.address)
    this.#branch = new Branch({ number: 0, totalDifficulty: 0n })
    this.#stalls = new BranchStalls(deps.stalls, () => {
      const having = this.#suppliers.having(this.#branch.highest)
      const peers = [...new Set([leader, this.#currentLeader, ...having])]
      return { branch: this.#branch, outweighs: this.#outweighs, peers }
    })
    this.#window = new DownloadWindow(limits.windowBytes)
    this.#suppliers = new Suppliers(limits.reserve, now, deps.onFailed)
    this.#bodies = new BodyDownload({
      window: this.#window,
      suppliers: this.#suppliers,
      match,
      limits,
      signal: this.#stop.signal,
      now,
      random,
      onChange: () => this.#changed(),
      onLied: (peer, header) => {
        this.#stalls.misfit(peer, header)
        deps.onFailed(peer)
      },
      onBytes: (bytes) => progress.downloaded(bytes),
      onError: (error) => this.#broke(error),
    })
    this.#headers = new BranchHeaders(deps, leader, {
      suppliers: this.#suppliers,
      signal: this.#stop.signal,
      take: (headers) => this.#take(headers),
      isFull: () => this.#isFull,
      weight: () => this.#branch.weight,
      onSilent: (peer) => this.#claims.silent(peer),
      onEnd: () => this.#wake.raise(),
      onError: (error) => this.#broke(error),
    })
    this.#feed = new BlockFeed(deps.chain, this.#window, limits, () => this.#wake.raise())
    this.#claimed = leader.status?.totalDifficulty ?? 0n
  }

  /** True when its headers prove that it may be heavier than the chain: until then it is a claim. */
  get outweighs(): boolean {
    return this.#outweighs
  }

  /** A peer connected, or announced a status: it may have the branch, too. */
  peerKnown(peer: Peer): void {
    this.#headers.join(peer)
  }

  /** A peer disconnected: nothing more is requested from it. */
  peerGone(peer: Peer): void {
    this.#suppliers.remove(peer)
    this.#changed()
  }

  stop(): void {
    this.#stop.abort()
    this.#suppliers.wake()
    this.#wake.raise()
  }

  async run(): Promise<SessionEnd> {
    try {
      const end = await this.#follow()
      const unkept = this.#claims.unkept(this.#deps.chain.tip.totalDifficulty)
      for (const peer of unkept) this.#deps.onUnkept(peer)
      return end === 'done' && unkept.includes(this.#leader) ? 'failed' : end
    } catch (error) {
      this.#stalls.broke(error)
      this.#deps.onFailed(this.#leader)
      return 'stalled'
    }
  }

  async #follow(): Promise<SessionEnd> {
    const { chain, progress } = this.#deps
    progress.enter('connectionPoint')
    chain.refresh()
    const late = AbortSignal.timeout(this.#deps.limits.patience)
    const signal = AbortSignal.any([this.#stop.signal, late])
    const onSilent = () => this.#claims.silent(this.#leader)
    const parts = { ...this.#deps, signal, stalls: this.#stalls, onSilent }
    const found = await findBranchBase(parts, this.#leader)
    if (this.#stop.signal.aborted) return 'stopped'
    if (late.aborted) onSilent()
    if (typeof found === 'string') return found
    const { header: base, totalDifficulty } = found
    this.#branch = new Branch({ number: base.number, totalDifficulty })
    this.#base = base.number
    progress.enter('headers')
    const timer = setInterval(() => this.#changed(), TICK)
    timer.unref()
    try {
      const headers = this.#headers.run(base)
      const end = await this.#runBlocks()
      this.stop()
      await headers
      if (this.#error !== null) throw this.#error
      return end
    } finally {
      clearInterval(timer)
      this.#stop.abort()
    }
  }

  #broke(error: unknown): void {
    this.#error ??= error
    this.stop()
  }

  get #isFull(): boolean {
    const { branchHeaders, branchBytes } = this.#deps.limits
    return this.#branch.held >= branchHeaders || this.#branch.heldBytes >= branchBytes
  }

  #take(headers: readonly CheckedHeader[]): void {
    const { progress } = this.#deps
    const unknown = this.#skipKnown(headers)
    this.#branch.add(unknown)
    this.#window.add(unknown)
    progress.headers(
      headers.length,
      headers.reduce((sum, { encoded }) => sum + encoded.length, 0),
    )
    progress.checkedHeader = this.#branch.highest
    this.#claims.showed(this.#currentLeader)
    this.#patience.progressed()
    this.#changed()
  }

  /** Skips the lowest headers of the branch whose blocks are already stored as side blocks. */
  #skipKnown(headers: readonly CheckedHeader[]): readonly CheckedHeader[] {
    if (!this.#isKnown) return headers
    const { reader } = this.#deps.chain
    const first = headers.findIndex((header) => {
      const totalDifficulty = reader.totalDifficulty(header.hash)
      if (totalDifficulty !== null) this.#branch = new Branch({ number: header.number, totalDifficulty })
      return totalDifficulty === null
    })
    this.#isKnown = first < 0
    return this.#isKnown ? [] : headers.slice(first)
  }

  /** Requests blocks once the branch can outweigh the head: until then none is fetched. */
  #changed(): void {
    if (this.#stop.signal.aborted) return
    this.#deps.height.proved(this.#branch.highest, this.#branch.work)
    if (!this.#outweighs && this.#branch.weight > this.#deps.threshold()) {
      this.#outweighs = true
      this.#deps.progress.stage = 'blocks'
      this.#deps.onOutweighs()
    }
    this.#deps.progress.peersUsed = this.#suppliers.size
    if (this.#outweighs) this.#bodies.pump()
    this.#wake.raise()
  }

  async #runBlocks(): Promise<SessionEnd> {
    this.#patience.begin()
    for (;;) {
      if (this.#stop.signal.aborted) return this.#landed('stopped')
      if (this.#outweighs) this.#feed.launch()
      const report = this.#feed.takeReport()
      if (report !== null) {
        this.#patience.progressed()
        const end = this.#connected(report)
        if (end !== null) return this.#landed(end)
        continue
      }
      const end = this.#feed.isBusy ? null : (this.#endOfWaiting() ?? this.#endOfPatience())
      if (end !== null) return end
      await this.#wake.wait(TICK)
    }
  }

  /** Waits for commits in progress. */
  async #landed(end: SessionEnd): Promise<SessionEnd> {
    await this.#feed.landed()
    return end
  }

  /** The end of a branch that makes too little progress; null while it makes enough. */
  #endOfPatience(): SessionEnd | null {
    if (this.#patience.isOver) return this.#fail(this.#currentLeader)
    if (!this.#outweighs && this.#patience.isOverForLight) return this.#light()
    return this.#patience.endsSlowStretch() && this.#othersWait() ? this.#fail(this.#leader) : null
  }

  /** The end of the branch with its result; null while it goes on. */
  #endOfWaiting(): SessionEnd | null {
    if (!this.#outweighs) {
      if (this.#isFull) return this.#tooLong()
      if (this.#headers.end === null) return null
      if (this.#headers.end === 'complete') {
        // Our head may have reached the same block meanwhile.
        return this.#branch.weight >= this.#claimed ? 'done' : this.#light()
      }
      if (this.#headers.end === 'fork') return this.#fail(this.#leader)
      return this.#headers.end === 'refused' || this.#headers.end === 'stalled' ? this.#headers.end : 'failed'
    }
    if (this.#window.size > 0) {
      if (this.#bodies.isHopeful()) return null
      this.#claims.silent(this.#currentLeader)
      return this.#fail(this.#currentLeader)
    }
    switch (this.#headers.end) {
      case null:
        return null
      case 'complete':
      case 'stopped':
        return 'done'
      case 'refused':
      case 'stalled':
        return this.#headers.end
      default:
        return 'failed'
    }
  }

  /** Evaluates the result of a commit. @returns null when the branch continues */
  #connected({ connected, sideBytes, becameBest, end }: CommitReport): SessionEnd | null {
    const { chain, progress } = this.#deps
    chain.refresh()
    this.#sideBytes.record(sideBytes, becameBest)
    const last = connected.at(-1)
    if (last !== undefined) {
      const totalDifficulty = chain.reader.totalDifficulty(last.hash)
      if (totalDifficulty === null) return this.#unreadable(last.number)
      this.#branch.connected(connected, totalDifficulty)
      this.#claims.connected()
      progress.blocks(connected.length)
      this.#patience.connected(connected.length)
    }
    if (end !== null) return this.#endAt(end)
    this.#changed()
    if (!this.#sideBytes.isAny) return null
    if (this.#sideBytes.isTooMany) return this.#tooLong()
    return this.#branch.weight <= chain.tip.totalDifficulty ? this.#light() : null
  }

  #endAt(end: NonNullable<CommitReport['end']>): SessionEnd {
    const { header, giver } = end.block
    if (end.status === 'refused') {
      this.#refuse({ ...end.refusal, number: header.number, hash: header.hash }, giver)
      return 'refused'
    }
    this.#stalls.unjudged(end)
    return 'stalled'
  }

  #unreadable(number: number): SessionEnd {
    this.#stalls.unreadable(number)
    return 'stalled'
  }

  /** The branch has more headers or blocks beside our chain than are held. */
  #tooLong(): SessionEnd {
    const isHeavier = this.#stalls.tooLong(this.#base, this.#deps.chain.tip.totalDifficulty)
    return isHeavier ? 'stalled' : this.#light()
  }

  #refuse(refusal: BlockRefusal, giver: Peer): void {
    const { refused, onRefused } = this.#deps
    refused.add(refusal)
    const offering = new Set([this.#leader, giver, ...this.#suppliers.having(refusal.number)])
    onRefused(refusal, [...offering], this.#currentLeader, this.#branch.weight)
  }

  /**
   * The branch is lighter than its peer announced: once may be due to a reorganisation, more is an attack. Whoever the
   * operator trusts is asked after the others, as with other claims.
   */
  #light(): SessionEnd {
    const leader = this.#currentLeader
    // A replacement leader did not announce the whole branch.
    const isClaimed = leader === this.#leader && !leader.trusted
    if (isClaimed && this.#deps.budget.light(leader.address) > 1) leader.score('invalidMessage')
    return this.#fail(leader)
  }

  get #currentLeader(): Peer {
    return this.#headers.leader
  }

  #othersWait(): boolean {
    const suppliers = new Set(this.#suppliers.having(0))
    return this.#deps.leaders().some((peer) => peer !== this.#leader && !suppliers.has(peer))
  }

  #fail(peer: Peer): SessionEnd {
    this.#deps.onFailed(peer)
    return 'failed'
  }
}
