import type { Logger } from '../../observe/logger.ts'
import type { Peer, PeerSet } from '../../p2p/peer.ts'
import { createSteadyClock } from '../../util/steadyClock.ts'
import { type BodyMatch, BodyRules } from '../client/bodyMatch.ts'
import { type HeaderCheck, HeaderRules } from '../client/headerCheck.ts'
import { Wake } from '../client/pause.ts'
import { type BackfillState, type BackfillStats, SyncStatsCollector } from '../client/syncStats.ts'
import { type Halt, haltBy } from '../halt/halt.ts'
import { RepeatedFailure } from '../halt/repeatedFailure.ts'
import type { SyncChain } from '../syncChain.ts'
import type { BackfillStore } from './backfillStore.ts'
import { FillRun } from './fillRun.ts'
import type { TrailPosition } from './headerTrail.ts'
import { type BackfillLimits, DEFAULT_BACKFILL_LIMITS } from './limits.ts'

/** Parts of backfill. */
export interface BackfillOptions {
  readonly chain: Pick<SyncChain, 'spec' | 'reader' | 'refresh'>
  readonly store: BackfillStore
  readonly peers: PeerSet
  readonly limits?: Partial<BackfillLimits>
  readonly match?: BodyMatch
  readonly check?: Pick<HeaderCheck, 'alone'>
  readonly logger?: Logger
  /** Milliseconds, steady. */
  readonly now?: () => number
  /** A number from 0 to below 1. */
  readonly random?: () => number
  /** True when the node is at the tip: blocks below are fetched only then. */
  isFollowing(): boolean
  /** Called when backfill cannot go on, for another reason than before, or goes on again (null). */
  onHalt?(halt: Halt | null): void
}

const TICK = 1_000
/** Blocks between two log entries. */
const LOG_STEP = 100_000

/**
 * Backfills the blocks below a snapshot, in descending order, once the node is at the tip (p2p.md §5 Backward
 * fill). It resumes from what is stored. Following the tip has priority.
 */
export class Backfill {
  readonly #options: BackfillOptions
  readonly #limits: BackfillLimits
  readonly #now: () => number
  readonly #progress: SyncStatsCollector
  readonly #wake = new Wake()
  readonly #match: BodyMatch
  readonly #check: Pick<HeaderCheck, 'alone'>
  #run: FillRun | null = null
  #isClosed = false
  #rest = 0
  #fault: string | null = null
  #isStarved = false
  readonly #failures: RepeatedFailure
  #logged: number | null = null
  #loop: Promise<void> | null = null

  constructor(options: BackfillOptions) {
    const { chain } = options
    this.#options = options
    this.#limits = { ...DEFAULT_BACKFILL_LIMITS, ...options.limits }
    this.#now = options.now ?? createSteadyClock()
    this.#progress = new SyncStatsCollector(this.#now)
    this.#failures = new RepeatedFailure('backfillError', options)
    this.#match = options.match ?? new BodyRules(chain.spec)
    this.#check = options.check ?? new HeaderRules({ spec: chain.spec, reader: chain.reader })
  }

  start(): void {
    this.#loop ??= this.#work()
  }

  /** Stops; blocks given to the store are awaited. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#run?.stop()
    this.#wake.raise()
    await this.#loop
  }

  /** Resolves when backfill is complete, or stopped for good. */
  async ended(): Promise<void> {
    await this.#loop
  }

  onPeer(): void {
    this.#run?.onPeer()
    this.#wake.raise()
  }

  onPeerGone(peer: Peer): void {
    this.#run?.peerGone(peer)
  }

  /** Null where nothing is missing. */
  get stats(): BackfillStats | null {
    const { firstBlock } = this.#options.chain.reader.history()
    return firstBlock <= 1 && this.#logged === null ? null : this.#statsFrom(Math.max(1, firstBlock))
  }

  #statsFrom(firstBlock: number): BackfillStats {
    const { blocksPerSecond } = this.#progress.stats(0)
    const blocksLeft = firstBlock - 1
    return {
      state: this.#state(blocksLeft),
      firstBlock,
      blocksLeft,
      blocksPerSecond,
      secondsLeft: blocksPerSecond > 0 && blocksLeft > 0 ? Math.ceil(blocksLeft / blocksPerSecond) : null,
      peersUsed: this.#run?.peersUsed ?? 0,
      fault: this.#fault,
    }
  }

  async #work(): Promise<void> {
    const { isFollowing } = this.#options
    while (!this.#isClosed && this.#fault === null) {
      // Before that, a snapshot of peers may still determine where history begins.
      if (!isFollowing()) {
        await this.#wake.wait(TICK)
        continue
      }
      try {
        const first = this.#first()
        if (first === null) return
        await this.#fill(first)
      } catch (error) {
        if (this.#isClosed) return
        this.#failures.failed(error)
        await this.#restABit()
      }
    }
  }

  /** The highest missing block; null when there is none. */
  #first(): TrailPosition | null {
    const { chain } = this.#options
    chain.refresh()
    const { firstBlock } = chain.reader.history()
    if (firstBlock <= 1) return null
    const header = chain.reader.headerByNumber(firstBlock)
    if (header === null) throw new RangeError(`block ${firstBlock}, the first that is kept, is not there`)
    return { number: firstBlock - 1, hash: header.parentHash }
  }

  async #fill(first: TrailPosition): Promise<void> {
    const { chain, store, peers, random = Math.random, isFollowing } = this.#options
    this.#progress.stage = 'blocks'
    this.#logProgress(first.number)
    this.#run = new FillRun(
      {
        chain,
        store,
        peers,
        limits: this.#limits,
        match: this.#match,
        check: this.#check,
        now: this.#now,
        random,
        isPaused: () => !isFollowing(),
        onBytes: (bytes) => this.#progress.downloaded(bytes),
        onBlocks: (count) => this.#stored(count),
      },
      first,
    )
    try {
      const end = await this.#run.run()
      this.#failures.wentOn()
      if (end === 'genesis') this.#stopForGood()
      else if (end === 'failed') {
        this.#starve(first.number)
        await this.#restABit()
      }
    } finally {
      this.#run = null
    }
  }

  #stored(count: number): void {
    const { chain } = this.#options
    this.#rest = 0
    this.#isStarved = false
    this.#progress.blocks(count)
    chain.refresh()
    this.#logProgress(Math.max(0, chain.reader.history().firstBlock - 1))
  }

  /** Logs how much is left, now and then. */
  #logProgress(left: number): void {
    if (left > 0 && this.#logged !== null && this.#logged - left < LOG_STEP) return
    this.#logged = left
    const text = left === 0 ? 'every block is here' : 'blocks below the first that is kept are filled in'
    this.#options.logger?.info(
      { blocksLeft: left, perSecond: Math.round(this.#progress.stats(0).blocksPerSecond) },
      text,
    )
  }

  /** No peer gives the next blocks: that is said once, until some come. */
  #starve(number: number): void {
    if (!this.#isStarved)
      this.#options.logger?.warn(
        { block: number },
        'no peer gives the next block below the snapshot; they are asked again',
      )
    this.#isStarved = true
  }

  #state(blocksLeft: number): BackfillState {
    if (this.#fault !== null) return 'stopped'
    if (blocksLeft === 0) return 'complete'
    if (!this.#options.isFollowing()) return 'paused'
    if (this.#failures.reason !== null) return 'failing'
    return this.#isStarved ? 'starved' : 'running'
  }

  /** The chain of this node is not the one of its network. */
  #stopForGood(): void {
    this.#fault = 'the chain of this node does not stand on its genesis block'
    this.#options.onHalt?.(haltBy('otherGenesis', this.#fault))
    this.#options.logger?.error(
      { genesis: this.#options.chain.reader.hashByNumber(0)?.toString('hex') },
      'the blocks below the snapshot lead to another genesis: what it was restored from is of another chain',
    )
  }

  async #restABit(): Promise<void> {
    const { firstRest, longestRest } = this.#limits
    this.#rest = Math.min(longestRest, Math.max(firstRest, this.#rest * 2))
    const until = this.#now() + this.#rest
    while (!this.#isClosed && this.#now() < until) {
      await new Promise<void>((resolve) => {
        setTimeout(resolve, Math.min(TICK, Math.max(1, until - this.#now()))).unref()
      })
    }
  }
}
