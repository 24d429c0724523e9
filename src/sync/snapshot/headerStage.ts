import type { ChainStoreReader } from '../../chain/chainStoreReader.ts'
import { parseHeader } from '../../chain/codec/headerDecoder.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { Peer } from '../../p2p/peer.ts'
import type { CheckedHeader } from '../client/branch.ts'
import type { Checkpoints } from '../client/checkpointCheck.ts'
import { type HeaderCheck, HeaderRules } from '../client/headerCheck.ts'
import { HeaderDownload } from '../client/headerDownload.ts'
import { createStop } from '../client/pause.ts'
import { RefusedBranches } from '../client/refusedBranches.ts'
import { Suppliers } from '../client/suppliers.ts'
import type { SyncStatsCollector } from '../client/syncStats.ts'
import type { HeaderWindow } from './headerWindow.ts'
import type { SnapshotLimits } from './limits.ts'
import { workOf } from './uncleWork.ts'

/** What the headers up to a snapshot's block are checked with. */
export interface HeaderStageDeps {
  readonly spec: NetworkSpec
  readonly reader: Pick<ChainStoreReader, 'headerByHash'>
  readonly checkpoints: Checkpoints
  readonly limits: SnapshotLimits
  readonly progress: SyncStatsCollector
  /** Milliseconds, steady. */
  readonly now: () => number
  /** In place of the rules: for tests. */
  readonly check?: HeaderCheck
  onFailed(peer: Peer): void
}

/** One attempt to bring the headers up to a block. */
export interface HeaderRun {
  /** Checked so far; grows. */
  readonly window: HeaderWindow
  readonly upTo: number
  /** Peers that have the block, those that claim most work first. */
  peers(): readonly Peer[]
  /** Makes durable what is in the window. */
  save(): Promise<void>
}

/**
 * What became of it: all are there; the branch of the peers is another one than that of the window; nobody goes on.
 */
export type HeaderRunEnd = 'complete' | 'fork' | 'failed'

/** Groups of headers whose uncles may be on their way. */
const GROUPS_AHEAD = 8
/** Bodies of one group that are asked for at a time: each that waits is woken whenever a peer is free. */
const BODIES_AT_ONCE = 24

interface Weighed {
  readonly headers: readonly CheckedHeader[]
  /** What each block adds to the total difficulty; null where a body is not to be had. */
  readonly work: Promise<readonly (bigint | null)[]>
}

/**
 * Downloads and checks the headers of a branch (`HeaderDownload`), and computes its total difficulty on the way: bodies
 * are asked for where a header names uncles.
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

  /** Peers that give headers. */
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

  /** @throws what fails within this node */
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
      // What was checked before the end is not fetched again.
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
    const work = inTurns(headers, ({ encoded }) =>
      workOf(parseHeader(spec, encoded, 'compressed'), deps, this.#stop.signal),
    )
    // Whoever waits for it later hears of a failure.
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

  /** Adds the oldest groups to the window until so many wait. @returns false when a body is not to be had */
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

/** Works on some items at a time. @returns what came of each, in their order */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const left = items.entries()
  const worker = async () => {
    for (const [index, item] of left) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: BODIES_AT_ONCE }, worker))
  return results
}
