import type { BlockHeader } from '../../chain/codec/header.ts'
import type { Peer } from '../../p2p/peer.ts'
import type { BlockOutcome, BlockRefusal, SyncChain } from '../syncChain.ts'
import { ask } from './ask.ts'
import { BodyDownload } from './bodyDownload.ts'
import type { BodyMatch } from './bodyMatch.ts'
import { Branch, type CheckedHeader } from './branch.ts'
import type { BranchBudget } from './branchBudget.ts'
import type { Checkpoints } from './checkpoints.ts'
import { type ConnectionPoint, findConnectionPoint } from './connectionPoint.ts'
import { DownloadWindow, type ReadyBlock } from './downloadWindow.ts'
import type { HeaderCheck } from './headerCheck.ts'
import { HeaderDownload, type HeadersEnd } from './headerDownload.ts'
import type { SyncLimits } from './limits.ts'
import { createStop, Wake } from './pause.ts'
import type { SyncProgress } from './progress.ts'
import { USELESS_PEER } from './protocol.ts'
import type { RefusedBranches } from './refusedBranches.ts'
import { Suppliers } from './suppliers.ts'

/** What became of a branch. */
export type SessionEnd =
  /** All of it is connected. */
  | 'done'
  /** Nobody gives more of it, or it is not what it was said to be; another peer is to be chosen. */
  | 'failed'
  /** A block of it was refused. */
  | 'refused'
  /** This node could not judge a block: nobody is blamed, it is tried again later. */
  | 'undecided'
  | 'stopped'

/** What a branch is fetched and connected with. */
export interface SessionDeps {
  readonly chain: SyncChain
  readonly limits: SyncLimits
  readonly check: HeaderCheck
  readonly match: BodyMatch
  readonly checkpoints: Checkpoints
  readonly refused: RefusedBranches
  readonly budget: BranchBudget
  readonly progress: SyncProgress
  /** Milliseconds, steady. */
  readonly now: () => number
  /** A number from 0 to below 1. */
  readonly random: () => number
  /** Peers that claim more work than our head, best first. */
  leaders(): readonly Peer[]
  /** Total difficulty that a branch must be able to exceed before a body of it is fetched. */
  threshold(): bigint
  /** A peer did not do its part. */
  onFailed(peer: Peer): void
  /** Peers offer a branch with a block that the chain refused. */
  onRefused(refusal: BlockRefusal, offering: readonly Peer[], leader: Peer, weight: bigint): void
  /** The branch outweighs the threshold. */
  onOutweighs(): void
}

/** How often waiting loops look at what has no event: the messages of a peer's minute, milliseconds. */
const TICK = 250
/** Times of patience that a branch may take to outweigh the head. */
const LIGHT_PATIENCE = 2
/** Blocks a second below which a branch makes room for another peer's. */
const SLOWEST = 1

/** Commits that are given to the chain at once, and blocks that make a second one worth it. */
const FLIGHTS = 2
const SECOND_FLIGHT_BLOCKS = 16

/** Blocks that were given to the chain. */
interface Flight {
  readonly blocks: readonly ReadyBlock[]
  /** What became of them, once that is known. */
  outcomes: readonly BlockOutcome[] | null
  landed: Promise<void>
}

/** One branch, from the choice of a peer until all of it is connected or it is given up. */
export class Session {
  readonly #deps: SessionDeps
  readonly #leader: Peer
  readonly #stop = createStop()
  readonly #wake = new Wake()
  readonly #window: DownloadWindow
  readonly #suppliers: Suppliers
  readonly #bodies: BodyDownload
  #branch: Branch
  #headers: HeaderDownload | null = null
  #headersEnd: HeadersEnd | null = null
  #outweighs = false
  /** Total difficulty that the peer said it has when it was chosen. */
  readonly #claimed: bigint
  /** What failed within this node. */
  #error: unknown = null
  #lastProgress: number
  /** Bytes of blocks that are beside the chain until the branch becomes the best. */
  #sideBytes = 0
  #connectedCount = 0
  /** Commits that were given to the chain, in their order. */
  readonly #flights: Flight[] = []

  constructor(deps: SessionDeps, leader: Peer) {
    const { limits, match, now, random, progress } = deps
    this.#deps = deps
    this.#leader = leader
    this.#lastProgress = now()
    this.#branch = new Branch({ number: 0, totalDifficulty: 0n })
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
      onLied: deps.onFailed,
      onBytes: (bytes) => progress.downloaded(bytes),
      onError: (error) => this.#broke(error),
    })
    this.#claimed = leader.status?.totalDifficulty ?? 0n
  }

  /** Peers that give blocks of the branch. */
  get peersUsed(): number {
    return this.#suppliers.size
  }

  /** A peer is gone: nothing more is asked of it. */
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
    const { chain, progress } = this.#deps
    progress.stage = 'connectionPoint'
    chain.refresh()
    if (!(await this.#keepsCheckpoint())) return 'failed'
    const point = await this.#connectionPoint()
    if (point === null) return this.#fail(this.#leader)
    const base = chain.reader.headerByHash(point.hash)
    const totalDifficulty = chain.reader.totalDifficulty(point.hash)
    if (base === null || totalDifficulty === null) return 'failed'
    this.#branch = new Branch({ number: point.number, totalDifficulty })
    progress.stage = 'headers'
    const timer = setInterval(() => this.#changed(), TICK)
    timer.unref()
    try {
      const headers = this.#runHeaders(base)
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

  /** Asks for the hash at the highest checkpoint that the peer should have. */
  async #keepsCheckpoint(): Promise<boolean> {
    const { checkpoints, limits, onFailed } = this.#deps
    const peer = this.#leader
    const checkpoint = checkpoints.highestWithin(0, peer.status?.bestNumber ?? 0)
    if (checkpoint === null) return true
    const question = { type: 'blockHashRequest', height: checkpoint.number } as const
    const answer = await ask<'blockHashRequest'>(peer, question, limits.requestTimeout, this.#stop.signal)
    if (typeof answer !== 'string' && answer.hash.equals(checkpoint.hash)) return true
    if (typeof answer !== 'string') {
      peer.score('invalidHeader')
      peer.disconnect(USELESS_PEER)
    }
    onFailed(peer)
    return false
  }

  #connectionPoint(): Promise<ConnectionPoint | null> {
    const { chain, limits } = this.#deps
    return findConnectionPoint({
      peer: this.#leader,
      reader: chain.reader,
      best: chain.tip.number,
      peerBest: this.#leader.status?.bestNumber ?? 0,
      timeout: limits.requestTimeout,
      signal: this.#stop.signal,
    })
  }

  async #runHeaders(base: BlockHeader): Promise<void> {
    const { chain, onFailed } = this.#deps
    const { signal } = this.#stop
    this.#headers = new HeaderDownload({
      ...this.#deps,
      spec: chain.spec,
      suppliers: this.#suppliers,
      leaders: () => this.#leadersOfBranch(),
      known: (number) => (number <= base.number ? chain.reader.hashByNumber(number) : null),
      onFailed,
      onError: (error) => this.#broke(error),
      onInsisting: (hash, peers) => this.#insisting(hash, peers),
    })
    try {
      const runs = this.#headers.run(base, signal)
      for (;;) {
        const run = await runs.next()
        if (run.done === true) {
          this.#headersEnd = run.value
          break
        }
        this.#take(run.value)
        while (!signal.aborted && this.#isFull) await this.#suppliers.changed()
      }
    } catch (error) {
      this.#broke(error)
    } finally {
      this.#wake.raise()
    }
  }

  #broke(error: unknown): void {
    this.#error ??= error
    this.stop()
  }

  /** The peer that was chosen first, then others that could take its place. */
  #leadersOfBranch(): readonly Peer[] {
    const others = this.#deps.leaders().filter((peer) => peer !== this.#leader)
    return this.#deps.leaders().includes(this.#leader) ? [this.#leader, ...others] : others
  }

  get #isFull(): boolean {
    const { branchHeaders, branchBytes } = this.#deps.limits
    return this.#branch.held >= branchHeaders || this.#branch.heldBytes >= branchBytes
  }

  #take(headers: readonly CheckedHeader[]): void {
    const { progress } = this.#deps
    this.#branch.add(headers)
    this.#window.add(headers)
    progress.headers(
      headers.length,
      headers.reduce((sum, { encoded }) => sum + encoded.length, 0),
    )
    progress.checkedHeader = this.#branch.highest
    this.#lastProgress = this.#deps.now()
    this.#changed()
  }

  /** Asks for blocks once the branch can outweigh the head: until then none of it is fetched. */
  #changed(): void {
    if (this.#stop.signal.aborted) return
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
    const { limits, now } = this.#deps
    const began = now()
    let mark = { at: began, connected: 0 }
    for (;;) {
      if (this.#stop.signal.aborted) return this.#landed('stopped')
      this.#launch()
      const [flight] = this.#flights
      if (flight !== undefined) {
        if (flight.outcomes === null) await this.#wake.wait(TICK)
        else {
          this.#flights.shift()
          this.#lastProgress = now()
          const end = this.#connected(flight.blocks, flight.outcomes)
          if (end !== null) return this.#landed(end)
        }
        continue
      }
      const end = this.#endOfWaiting()
      if (end !== null) return end
      if (now() - this.#lastProgress > limits.patience) return this.#fail(this.#currentLeader)
      if (!this.#outweighs && now() - began > LIGHT_PATIENCE * limits.patience) return this.#light()
      if (now() - mark.at > limits.patience) {
        const isSlow = this.#connectedCount - mark.connected < (SLOWEST * limits.patience) / 1000
        if (isSlow && this.#othersWait()) return this.#fail(this.#leader)
        mark = { at: now(), connected: this.#connectedCount }
      }
      await this.#wake.wait(TICK)
    }
  }

  /** Gives the chain what can be connected: a second commit is on its way while the first is executed. */
  #launch(): void {
    const { chain, limits } = this.#deps
    while (this.#outweighs && this.#flights.length < FLIGHTS) {
      if (this.#flights.length > 0 && !this.#window.hasReady(SECOND_FLIGHT_BLOCKS)) return
      const blocks = this.#window.takeReady(limits.commitBlocks, limits.commitBytes)
      if (blocks.length === 0) return
      const flight: Flight = { blocks, outcomes: null, landed: Promise.resolve() }
      this.#flights.push(flight)
      flight.landed = chain
        .connect(blocks.map(({ block }) => block))
        .then(
          (outcomes) => {
            flight.outcomes = outcomes
          },
          (error: unknown) => {
            const reason = error instanceof Error ? error.message : String(error)
            flight.outcomes = [{ status: 'UNDECIDED', reason }]
          },
        )
        .then(() => this.#wake.raise())
    }
  }

  /** Waits for what the chain still has. */
  async #landed(end: SessionEnd): Promise<SessionEnd> {
    await Promise.all(this.#flights.map(({ landed }) => landed))
    return end
  }

  /** Whether there is nothing left to wait for, and what that means. */
  #endOfWaiting(): SessionEnd | null {
    if (!this.#outweighs) {
      if (this.#isFull) return this.#light()
      if (this.#headersEnd === null) return null
      if (this.#headersEnd === 'complete') {
        // Our head may have come to the same block meanwhile.
        return this.#branch.weight >= this.#claimed ? 'done' : this.#light()
      }
      if (this.#headersEnd === 'fork') return this.#fail(this.#leader)
      return this.#headersEnd === 'refused' ? 'refused' : 'failed'
    }
    if (this.#window.size > 0) {
      if (this.#bodies.isHopeful()) return null
      return this.#fail(this.#currentLeader)
    }
    switch (this.#headersEnd) {
      case null:
        return null
      case 'complete':
      case 'stopped':
        return 'done'
      case 'refused':
        return 'refused'
      default:
        return 'failed'
    }
  }

  /** What became of the blocks of a commit. @returns null when the branch goes on */
  #connected(ready: readonly ReadyBlock[], outcomes: readonly BlockOutcome[]): SessionEnd | null {
    const { chain, progress, budget } = this.#deps
    chain.refresh()
    const connected: CheckedHeader[] = []
    for (const [index, outcome] of outcomes.entries()) {
      const { header, block, giver } = ready[index] as ReadyBlock
      switch (outcome.status) {
        case 'IMPORTED_NOT_BEST':
          this.#sideBytes += block.length
          budget.charge(this.#leader.address, block.length)
          break
        case 'IMPORTED_BEST':
          budget.charge(this.#leader.address, -this.#sideBytes)
          this.#sideBytes = 0
          break
        case 'INVALID_BLOCK':
          this.#refuse(outcome.refusal, giver)
          return 'refused'
        case 'UNDECIDED':
          return 'undecided'
        case 'NO_PARENT':
        case 'TOO_OLD':
          return 'failed'
        case 'EXIST':
      }
      connected.push(header)
    }
    const last = connected.at(-1)
    if (last === undefined) return 'undecided'
    const totalDifficulty = chain.reader.totalDifficulty(last.hash)
    if (totalDifficulty === null) return 'undecided'
    this.#branch.connected(connected, totalDifficulty)
    progress.blocks(connected.length)
    this.#connectedCount += connected.length
    this.#changed()
    return this.#isTooExpensive() ? this.#light() : null
  }

  /** Whether a branch beside the chain turned out lighter than its headers said, or takes too much of the disk. */
  #isTooExpensive(): boolean {
    if (this.#sideBytes === 0) return false
    const { budget, chain } = this.#deps
    return !budget.allows(this.#leader.address, 0) || this.#branch.weight <= chain.tip.totalDifficulty
  }

  #refuse(refusal: BlockRefusal, giver: Peer): void {
    const { refused, onRefused } = this.#deps
    refused.add(refusal)
    const offering = new Set([this.#leader, giver, ...this.#suppliers.having(refusal.number)])
    onRefused(refusal, [...offering], this.#currentLeader, this.#branch.weight)
  }

  #insisting(hash: Buffer, offering: readonly Peer[]): void {
    const refusal = this.#deps.refused.find(hash)
    if (refusal === null) return
    this.#deps.onRefused(refusal, offering, this.#currentLeader, this.#branch.weight)
  }

  /** The branch weighs less than its peer said: once may be a change of its chain, more is an attack. */
  #light(): SessionEnd {
    const leader = this.#currentLeader
    // Who took the place of another one did not offer the whole branch.
    if (leader === this.#leader && this.#deps.budget.light(leader.address) > 1) leader.score('invalidMessage')
    return this.#fail(leader)
  }

  get #currentLeader(): Peer {
    return this.#headers?.leader ?? this.#leader
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
