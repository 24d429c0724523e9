import type { ChainStoreReader } from '../../chain/chainStoreReader.ts'
import { parseHeader } from '../../chain/codec/headerDecoder.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { Peer } from '../../p2p/peer.ts'
import type { CheckedHeader } from '../client/branch.ts'
import type { Checkpoints } from '../client/checkpointCheck.ts'
import { type HeaderCheck, HeaderRules } from '../client/headerCheck.ts'
import { HeaderDownload, type HeaderDownloadDeps } from '../client/headerDownload.ts'
import { createStop } from '../client/pause.ts'
import { RefusedBranches } from '../client/refusedBranches.ts'
import { Suppliers } from '../client/suppliers.ts'
import type { SyncStatsCollector } from '../client/syncStats.ts'
import type { HeaderWindow } from './headerWindow.ts'
import type { SnapshotLimits } from './limits.ts'
import { workOf } from './uncleWork.ts'

/** Dependencies of the check of headers up to a snapshot's block. */
export interface HeaderStageDeps {
  readonly spec: NetworkSpec
  readonly reader: Pick<ChainStoreReader, 'headerByHash'>
  readonly checkpoints: Checkpoints
  readonly limits: SnapshotLimits
  readonly progress: SyncStatsCollector
  /** Milliseconds, steady. */
  readonly now: () => number
  /** Overrides the rules, for tests. */
  readonly check?: HeaderCheck
  onFailed(peer: Peer): void
}

/** One attempt to fetch the headers up to a block. */
export interface HeaderRun {
  /** The headers checked so far; grows. */
  readonly window: HeaderWindow
  readonly upTo: number
  /** Peers that have the block, those with the most claimed work first. */
  peers(): readonly Peer[]
  /** Makes the window durable. */
  save(): Promise<void>
}

/** Result: complete; the branch of the peers differs from that of the window; no peer continues. */
export type HeaderRunEnd = 'complete' | 'fork' | 'failed'

/** No block is executed before the snapshot is complete; headers that are refused are the reason that it gives. */
const NO_STALLS: HeaderDownloadDeps['stalls'] = {
  isResting: () => false,
  met: () => undefined,
  record: () => undefined,
}
/** Groups of headers whose uncles may be requested at once. */
const GROUPS_AHEAD = 8
/** Most concurrent requests for bodies of one group: each waiting one is woken whenever a peer is free. */
const BODIES_AT_ONCE = 24

interface Weighed {
  readonly headers: readonly CheckedHeader[]
  /** Difficulty that each block adds; null where a body is unavailable. */
  readonly work: Promise<readonly (bigint | null)[]>
}

/**
 * Downloads and checks the headers of a branch (`HeaderDownload`), and computes its total difficulty: bodies
 * are requested where a header commits to uncles.
 */
export class HeaderStage {
  readonly #deps: HeaderStageDeps
  readonly #run: HeaderRun
  readonly #check: HeaderCheck
  readonly #suppliers: Suppliers
  readonly #stop = createStop()
  readonly #waiting: Weighed[] = []
  #unsaved = 0
  #error: unknown = null

  constructor(deps: HeaderStageDeps, run: HeaderRun) {
    const { spec, reader, limits, now } = deps
    this.#deps = deps
    this.#run = run
    const headerByHash = (hash: Buffer) => run.window.headerByHash(hash) ?? reader.headerByHash(hash)
    this.#check = deps.check ?? new HeaderRules({ spec, reader: { headerByHash } })
    this.#suppliers = new Suppliers(limits.reserve, now, (peer) => deps.onFailed(peer))
  }

  /** Peers that provide headers. */
  get peersUsed(): number {
    return this.#suppliers.size
  }

  peerGone(peer: Peer): void {
    this.#suppliers.remove(peer)
  }

  stop(): void {
    this.#stop.abort()
    this.#suppliers.wake()
  }

  /** @throws internal errors */
  async run(): Promise<HeaderRunEnd> {
    const { window, upTo } = this.#run
    const headers = this.#download().run(window.last, this.#stop.signal)
    let end: HeaderRunEnd = 'failed'
    try {
      while (!this.#stop.signal.aborted && window.last.number < upTo) {
        const next = await headers.next()
        if (next.done === true) {
          end = next.value === 'fork' ? 'fork' : 'failed'
          break
        }
        this.#weigh(next.value.filter(({ number }) => number <= upTo))
        const isLast = next.value.some(({ number }) => number >= upTo)
        if (!(await this.#settle(isLast ? 0 : GROUPS_AHEAD))) break
      }
      // Headers checked before the end are not fetched again.
      await this.#settle(0)
    } finally {
      this.stop()
      await headers.return('stopped')
    }
    if (this.#error !== null) throw this.#error
    if (this.#unsaved > 0) await this.#run.save()
    return window.last.number >= upTo ? 'complete' : end
  }

  #download(): HeaderDownload {
    const { spec, checkpoints, limits, onFailed } = this.#deps
    const { window, peers } = this.#run
    return new HeaderDownload({
      spec,
      check: this.#check,
      checkpoints,
      refused: new RefusedBranches(),
      stalls: NO_STALLS,
      suppliers: this.#suppliers,
      limits,
      leaders: peers,
      known: (number) => window.hashAt(number),
      onFailed,
      onInsisting: () => undefined,
      onError: (error) => {
        this.#error ??= error
        this.stop()
      },
    })
  }

  #weigh(headers: readonly CheckedHeader[]): void {
    const { spec, progress } = this.#deps
    const deps = { ...this.#deps, check: this.#check, suppliers: this.#suppliers, onLied: this.#lied }
    const work = mapLimited(headers, ({ encoded }) =>
      workOf(parseHeader(spec, encoded, 'compressed'), deps, this.#stop.signal),
    )
    // A later awaiter receives the rejection.
    work.catch(() => undefined)
    this.#waiting.push({ headers, work })
    progress.headers(
      headers.length,
      headers.reduce((sum, { encoded }) => sum + encoded.length, 0),
    )
    progress.peersUsed = this.#suppliers.size
  }

  readonly #lied = (peer: Peer): void => {
    peer.score('invalidMessage')
    this.#suppliers.remove(peer)
    this.#deps.onFailed(peer)
  }

  /** Adds the oldest groups to the window until few enough wait. @returns false when a body is unavailable */
  async #settle(most: number): Promise<boolean> {
    const { spec, progress, limits } = this.#deps
    const { window, save } = this.#run
    while (this.#waiting.length > most) {
      const { headers, work } = this.#waiting.shift() as Weighed
      const found = await work
      for (const [index, { encoded }] of headers.entries()) {
        const added = found[index] ?? null
        if (added === null) {
          this.#waiting.length = 0
          return false
        }
        window.add(parseHeader(spec, encoded, 'compressed'), encoded, added)
        this.#unsaved += 1
      }
      progress.checkedHeader = window.last.number
      if (this.#unsaved < limits.headersPerSave) continue
      this.#unsaved = 0
      await save()
    }
    return true
  }
}

/** Processes items with limited concurrency. @returns their results in order */
async function mapLimited<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const left = items.entries()
  const worker = async () => {
    for (const [index, item] of left) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: BODIES_AT_ONCE }, worker))
  return results
}
