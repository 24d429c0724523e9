import type { SnapshotTarget } from '../../chain/tables/snapshotSyncState.ts'
import type { Checkpoint } from '../../config/checkpoints.ts'
import type { Logger } from '../../observe/logger.ts'
import type { Peer, PeerSet } from '../../p2p/peer.ts'
import { createSteadyClock } from '../../util/steadyClock.ts'
import { Checkpoints } from '../client/checkpointCheck.ts'
import { DEFAULT_SYNC_LIMITS, type SyncLimits } from '../client/limits.ts'
import { NetworkHeight } from '../client/networkHeight.ts'
import { createStop, Wake } from '../client/pause.ts'
import { PeerChoice } from '../client/peerChoice.ts'
import { type SnapshotStats, type SyncStats, SyncStatsCollector } from '../client/syncStats.ts'
import type { Halt } from '../halt/halt.ts'
import { RepeatedFailure } from '../halt/repeatedFailure.ts'
import type { SyncChain } from '../syncChain.ts'
import { BranchChoice } from './branchChoice.ts'
import { DEFAULT_SNAPSHOT_LIMITS, type SnapshotLimits } from './limits.ts'
import type { SnapshotPosition, SnapshotStore } from './snapshotStore.ts'
import { TargetFetch, type TargetFetchDeps } from './targetFetch.ts'

/** Parts of snapshot synchronisation. */
export interface SnapshotSyncOptions {
  readonly chain: Pick<SyncChain, 'spec' | 'reader' | 'tip' | 'refresh'>
  readonly store: SnapshotStore
  readonly peers: PeerSet
  readonly checkpoints?: readonly Checkpoint[]
  readonly limits?: Partial<SnapshotLimits>
  /** Waits and pauses of peers. */
  readonly choice?: Partial<SyncLimits>
  readonly logger?: Logger
  /** Milliseconds, steady. */
  readonly now?: () => number
  /** True when the operator configured the peer. */
  readonly isStatic?: (peer: Peer) => boolean
  /** Called when this node fails at the snapshot, or goes on with it (null). */
  onHalt?(halt: Halt | null): void
}

/**
 * Result: the snapshot's block is the head; the chain has blocks, or the network too few, so that it is
 * synchronised from where it is; stopped.
 */
export type SnapshotEnd = 'adopted' | 'full' | 'stopped'

/** Interval of checks for new peers, milliseconds. */
const TICK = 1_000
/** Pause after an internal error, milliseconds, and the longest. */
const FIRST_BACKOFF = 1_000
const MAX_BACKOFF_MILLISECONDS = 60_000

/**
 * Starts a chain with the state of a recent block instead of executing all blocks (p2p.md §5 Snapshot sync):
 * headers from genesis on, which prove the block; its state; the blocks below it that the execution of the
 * next one reads; then one commit makes it the head. Fetched data is in the stores, so that it resumes after
 * any end of the process.
 */
export class SnapshotSync {
  readonly #options: SnapshotSyncOptions
  readonly #limits: SnapshotLimits
  readonly #now: () => number
  readonly #progress: SyncStatsCollector
  readonly #choice: PeerChoice
  readonly #stop = createStop()
  readonly #wake = new Wake()
  #branches: BranchChoice | null = null
  #fetching: TargetFetch | null = null
  #stats: SnapshotStats = { block: null, stateBytes: 0, stateSize: 0, blocksLeft: null, reason: null }
  /** Failed attempts with the state or the blocks. */
  #attempts = 0
  #backoff = 0
  readonly #failures: RepeatedFailure
  readonly #height: NetworkHeight

  constructor(options: SnapshotSyncOptions) {
    this.#options = options
    this.#limits = { ...DEFAULT_SNAPSHOT_LIMITS, ...options.limits }
    this.#now = options.now ?? createSteadyClock()
    this.#progress = new SyncStatsCollector(this.#now)
    this.#failures = new RepeatedFailure('snapshotError', options)
    this.#choice = new PeerChoice({
      limits: { ...DEFAULT_SYNC_LIMITS, ...options.choice },
      now: this.#now,
      isStatic: options.isStatic ?? (() => false),
    })
    const { chain, peers } = options
    this.#height = new NetworkHeight({
      chain,
      peers,
      believed: DEFAULT_SYNC_LIMITS.insisting,
      now: this.#now,
      claimants: (all) => this.#choice.claimants(all, chain.tip.totalDifficulty),
      hasShown: () => false,
    })
  }

  get stats(): SyncStats {
    const { checkedHeader } = this.#progress
    this.#progress.highestBlock = Math.max(this.#height.highest, checkedHeader, this.#stats.block ?? 0)
    const stats = this.#progress.stats(this.#options.chain.tip.number)
    const reason = this.#failures.reason ?? this.#stats.reason
    return { ...stats, syncing: true, secondsLeft: null, snapshot: { ...this.#stats, reason } }
  }

  onPeer(): void {
    this.#wake.raise()
  }

  onPeerGone(peer: Peer): void {
    this.#branches?.peerGone(peer)
    this.#fetching?.peerGone(peer)
  }

  /** Stops; the data in the store stays. */
  stop(): void {
    this.#stop.abort()
    this.#branches?.stop()
    this.#fetching?.stop()
    this.#wake.raise()
  }

  async run(): Promise<SnapshotEnd> {
    const { chain, store, logger } = this.#options
    if (chain.tip.number > 0) {
      logger?.info(
        { block: chain.tip.number },
        'the chain has blocks: it goes on with the ones above, without a snapshot',
      )
      return 'full'
    }
    while (!this.#stop.signal.aborted) {
      try {
        const end = await this.#step(await store.position())
        this.#backoff = 0
        this.#failures.wentOn()
        if (end !== null) return end
      } catch (error) {
        if (this.#stop.signal.aborted) break
        this.#backoff = Math.min(MAX_BACKOFF_MILLISECONDS, Math.max(FIRST_BACKOFF, this.#backoff * 2))
        this.#failures.failed(error)
        await this.#wake.wait(this.#backoff)
      }
    }
    return 'stopped'
  }

  async #step(position: SnapshotPosition): Promise<SnapshotEnd | null> {
    const { chain, store, logger } = this.#options
    const { target, nextChunk, nextBlock } = position
    if (target === null) return this.#chooseTarget(position)
    this.#updateStats({ block: target.number, stateSize: target.size, reason: null })
    if (nextChunk !== null) {
      this.#updateStats({ stateBytes: nextChunk })
      await this.#fetch(position, target, 'state', (fetch) => fetch.state(nextChunk))
    } else if (nextBlock !== null) {
      this.#updateStats({ stateBytes: target.size, blocksLeft: nextBlock.number - nextBlock.lowest + 1 })
      await this.#fetch(position, target, 'blocks', (fetch) => fetch.blocks(nextBlock))
    } else {
      await store.adopt()
      chain.refresh()
      logger?.info({ block: target.number }, 'the snapshot is the head')
      return 'adopted'
    }
    return null
  }

  async #chooseTarget({ headers, target }: SnapshotPosition): Promise<'full' | null> {
    const { store, peers, logger } = this.#options
    this.#progress.stage = target === null && headers === null ? 'waiting' : 'headers'
    if (!this.#choice.canDecide(peers.peers)) {
      this.#updateStats({ reason: 'waiting for peers' })
      await this.#wake.wait(TICK)
      return null
    }
    const best = Math.max(0, ...this.#known().map(({ status }) => status?.bestNumber ?? 0))
    if (headers === null && best > 0 && best <= this.#limits.distance) {
      logger?.info(
        { best },
        'the chain of peers is short: it is synchronised from genesis, without a snapshot',
      )
      return 'full'
    }
    this.#progress.stage = 'headers'
    const choice = await this.#branchChoice(headers).choose()
    if (this.#stop.signal.aborted) return null
    if ('reason' in choice) {
      if (choice.reason !== this.#stats.reason)
        logger?.warn({ reason: choice.reason }, 'no snapshot can be begun with')
      this.#updateStats({ reason: choice.reason })
      await this.#wake.wait(this.#limits.rest)
      return null
    }
    this.#attempts = 0
    if (target?.hash.equals(choice.target.hash) === true) return null
    const { number, hash } = choice.target
    logger?.info({ block: number, hash: hash.toString('hex') }, 'the headers prove the block of the snapshot')
    await store.setTarget(choice.target)
    return null
  }

  #branchChoice(headers: Buffer | null): BranchChoice {
    const { chain, store, checkpoints = [] } = this.#options
    const genesis = chain.reader.headerByNumber(0)
    if (genesis === null) throw new RangeError('there is no genesis')
    this.#branches ??= new BranchChoice(
      {
        spec: chain.spec,
        reader: chain.reader,
        checkpoints: new Checkpoints(checkpoints),
        limits: this.#limits,
        progress: this.#progress,
        now: this.#now,
        store,
        signal: this.#stop.signal,
        known: () => this.#known(),
        isResting: (peer) => this.#choice.isResting(peer),
        onFailed: (peer) => this.#choice.failed(peer),
      },
      genesis,
      headers,
    )
    return this.#branches
  }

  /** Runs a download; when no peer continues, another block may be chosen. */
  async #fetch(
    position: SnapshotPosition,
    target: SnapshotTarget,
    stage: 'state' | 'blocks',
    run: (fetch: TargetFetch) => Promise<boolean>,
  ): Promise<void> {
    this.#progress.stage = stage
    this.#fetching = new TargetFetch(this.#fetchDeps(), target)
    try {
      if (await run(this.#fetching)) return
    } finally {
      this.#fetching = null
    }
    if (this.#stop.signal.aborted) return
    this.#attempts += 1
    this.#updateStats({ reason: `no peer goes on with block ${target.number}` })
    await this.#wake.wait(this.#limits.rest)
    // Blocks exist as long as the chain does; a state may have been removed everywhere.
    if (stage === 'state' && this.#attempts >= this.#limits.attempts) await this.#chooseTarget(position)
  }

  #fetchDeps(): TargetFetchDeps {
    const { chain, store } = this.#options
    return {
      chain,
      store,
      limits: this.#limits,
      progress: this.#progress,
      choice: this.#choice,
      now: this.#now,
      signal: this.#stop.signal,
      known: () => this.#known(),
      updateStats: (stats) => this.#updateStats(stats),
      onProgress: () => {
        this.#attempts = 0
      },
    }
  }

  #known(): Peer[] {
    return this.#choice.known(this.#options.peers.peers)
  }

  #updateStats(stats: Partial<SnapshotStats>): void {
    this.#stats = { ...this.#stats, ...stats }
  }
}
