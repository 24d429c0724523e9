import type { SnapshotTarget } from '../../chain/tables/snapshotSyncState.ts'
import type { Peer } from '../../p2p/peer.ts'
import { HeaderRules } from '../client/headerCheck.ts'
import type { PeerChoice } from '../client/peerChoice.ts'
import { Suppliers } from '../client/suppliers.ts'
import type { SnapshotStats, SyncStatsCollector } from '../client/syncStats.ts'
import type { SyncChain } from '../syncChain.ts'
import { BlockDownload } from './blockDownload.ts'
import type { SnapshotLimits } from './limits.ts'
import { branchesAt } from './offers.ts'
import type { SnapshotStore, WantedBlock } from './snapshotStore.ts'
import { StateDownload } from './stateDownload.ts'

/** Dependencies of fetching the state and the blocks of a proven block. */
export interface TargetFetchDeps {
  readonly chain: Pick<SyncChain, 'spec' | 'reader'>
  readonly store: SnapshotStore
  readonly limits: SnapshotLimits
  readonly progress: SyncStatsCollector
  readonly choice: PeerChoice
  /** Milliseconds, steady. */
  readonly now: () => number
  readonly signal: AbortSignal
  /** Connected peers with a status. */
  known(): readonly Peer[]
  updateStats(stats: Partial<SnapshotStats>): void
  /** Called when data was accepted. */
  onProgress(): void
}

/** Interval of checks for new peers, milliseconds. */
const TICK = 1_000

/**
 * Fetches the state or the blocks of a block that headers proved, from all peers that have it on their chain.
 */
export class TargetFetch {
  readonly #deps: TargetFetchDeps
  readonly #target: SnapshotTarget
  readonly #suppliers: Suppliers
  readonly #asked = new Set<Peer>()
  #running: { stop(): void } | null = null

  constructor(deps: TargetFetchDeps, target: SnapshotTarget) {
    const { limits, now, choice } = deps
    this.#deps = deps
    this.#target = target
    this.#suppliers = new Suppliers(limits.reserve, now, (peer) => choice.failed(peer))
  }

  peerGone(peer: Peer): void {
    this.#suppliers.remove(peer)
  }

  stop(): void {
    this.#running?.stop()
  }

  /** @returns whether the state is complete; false where no peer continues @throws internal errors */
  state(from: number): Promise<boolean> {
    const { store, limits, progress, updateStats, onProgress } = this.#deps
    const download = new StateDownload(
      {
        store,
        suppliers: this.#suppliers,
        limits,
        onLied: this.#lied,
        onChunk: (bytes, next) => {
          onProgress()
          progress.downloaded(bytes)
          updateStats({ stateBytes: next })
        },
      },
      this.#target,
    )
    return this.#run(download, () => download.run(from))
  }

  /** @returns whether all blocks are stored; false where no peer continues @throws internal errors */
  blocks(wanted: WantedBlock): Promise<boolean> {
    const { chain, store, limits, progress, updateStats, onProgress } = this.#deps
    const download = new BlockDownload({
      spec: chain.spec,
      store,
      suppliers: this.#suppliers,
      limits,
      check: new HeaderRules({ spec: chain.spec, reader: chain.reader }),
      onLied: this.#lied,
      onBlocks: (count, bytes, next) => {
        onProgress()
        progress.blocks(count)
        progress.downloaded(bytes)
        updateStats({ blocksLeft: Math.max(0, next - wanted.lowest + 1) })
      },
    })
    return this.#run(download, () => download.run(wanted))
  }

  async #run(download: { stop(): void }, run: () => Promise<boolean>): Promise<boolean> {
    this.#running = download
    const timer = setInterval(() => void this.#look().catch(() => undefined), TICK)
    timer.unref()
    try {
      await this.#look()
      return this.#suppliers.size > 0 && (await run())
    } finally {
      clearInterval(timer)
      this.#running = null
      this.#deps.progress.peersUsed = 0
    }
  }

  /** Adds peers that have the block and were not asked yet. */
  async #look(): Promise<void> {
    const { choice, limits, signal, progress, known } = this.#deps
    const { number, hash } = this.#target
    const isAbove = ({ status }: Peer) => (status?.bestNumber ?? 0) > number
    const fresh = known().filter(
      (peer) => peer.snap && !this.#asked.has(peer) && !choice.isResting(peer) && isAbove(peer),
    )
    if (fresh.length === 0) return
    for (const peer of fresh) this.#asked.add(peer)
    for (const branch of await branchesAt(number, fresh, limits.requestTimeout, signal)) {
      if (!branch.hash.equals(hash)) continue
      for (const peer of branch.peers) this.#suppliers.agree(peer, number)
    }
    progress.peersUsed = this.#suppliers.size
  }

  readonly #lied = (peer: Peer): void => {
    peer.score('invalidMessage')
    this.#suppliers.remove(peer)
    this.#deps.choice.failed(peer)
  }
}
