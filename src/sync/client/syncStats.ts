import { FAR_BEHIND } from './protocol.ts'

/**
 * Stage of synchronisation. What peers merely claim changes none of them: a node that follows the tip goes on
 * doing so while it looks for the work behind a claim.
 */
export type SyncStage =
  /** No peer is known whose chain ours can be compared with. */
  | 'waiting'
  /** The last common block with a peer that claims more work is searched. */
  | 'connectionPoint'
  /** Headers of a branch are checked, which do not outweigh the chain yet. */
  | 'headers'
  /** The state of a snapshot is fetched. */
  | 'state'
  /** Blocks of a branch whose headers outweigh the chain are fetched and executed. */
  | 'blocks'
  /** The chain has all that is proven: new blocks are followed one by one. */
  | 'following'
  /** Something keeps the chain from going on (`Halt`). */
  | 'halted'

/** Progress of the snapshot that the chain is to begin with. */
export interface SnapshotStats {
  /** Height of its block; null before headers proved one. */
  readonly block: number | null
  /** Bytes of its state that were downloaded, and its announced size. */
  readonly stateBytes: number
  readonly stateSize: number
  /** Blocks below it that are yet to be downloaded; null before its state is complete. */
  readonly blocksLeft: number | null
  /** Reason why it does not progress; null while it does. */
  readonly reason: string | null
}

/** State of backfill. */
export type BackfillState =
  /** Blocks are fetched, or about to be. */
  | 'running'
  /** The node is behind the tip, which goes first. */
  | 'paused'
  /** No peer gives the next blocks: they are asked again after a while. */
  | 'starved'
  /** This node fails at it: it is tried again after a while. */
  | 'failing'
  /** It ended for good: the blocks below lead to another genesis. */
  | 'stopped'
  /** Every block is stored. */
  | 'complete'

/** Progress of backfill. */
export interface BackfillStats {
  readonly state: BackfillState
  /** Lowest stored block above genesis. */
  readonly firstBlock: number
  /** Missing blocks; 0 when complete. */
  readonly blocksLeft: number
  /** Of the last half minute. */
  readonly blocksPerSecond: number
  /** Seconds until block 1 at this rate; null when unknown. */
  readonly secondsLeft: number | null
  readonly peersUsed: number
  /** Reason why it stopped for good; null while it runs. */
  readonly fault: string | null
}

/** Progress of synchronisation. */
export interface SyncStats {
  readonly stage: SyncStage
  /** True when blocks are known to be missing: false at the tip. */
  readonly syncing: boolean
  /** Heights: where it began, the best block, the best block that the network is known to have (`NetworkHeight`). */
  readonly startingBlock: number
  readonly currentBlock: number
  readonly highestBlock: number
  /** Height of the highest header that was checked. */
  readonly checkedHeader: number
  /** Of the last half minute. */
  readonly headersPerSecond: number
  readonly blocksPerSecond: number
  /** Seconds until the highest block at this rate; null when unknown. */
  readonly secondsLeft: number | null
  /** Peers that provide blocks of the branch. */
  readonly peersUsed: number
  /** Bytes of headers and of blocks that were downloaded since the start. */
  readonly headerBytes: number
  readonly blockBytes: number
  /** Only while the chain is to begin with a snapshot of peers. */
  readonly snapshot?: SnapshotStats
  /** Only where history begins with a snapshot, and blocks below are wanted. */
  readonly backfill?: BackfillStats
}

/** The highest checked header, and that of the network where it is known. */
export function checkedHeaderOf({ checkedHeader, highestBlock }: SyncStats): string {
  return highestBlock > checkedHeader ? `${checkedHeader} of ${highestBlock}` : String(checkedHeader)
}

/** Period over which rates are measured, and its resolution, milliseconds. */
const RATE_SPAN = 30_000
const RATE_STEP = 1_000

/** Counts events of the last half minute, with one number per second. */
class Rate {
  readonly #now: () => number
  readonly #steps: { at: number; count: number }[] = []
  #began: number

  constructor(now: () => number) {
    this.#now = now
    this.#began = now()
  }

  /** Begins work: idle time before it does not count. */
  begin(): void {
    this.#trim()
    if (this.#steps.length === 0) this.#began = this.#now()
  }

  add(count: number): void {
    const at = Math.floor(this.#now() / RATE_STEP)
    const newest = this.#steps.at(-1)
    if (newest?.at === at) newest.count += count
    else this.#steps.push({ at, count })
    this.#trim()
  }

  get perSecond(): number {
    this.#trim()
    const span = Math.min(RATE_SPAN, this.#now() - this.#began)
    if (span < RATE_STEP) return 0
    return (this.#steps.reduce((sum, { count }) => sum + count, 0) * 1000) / span
  }

  #trim(): void {
    const oldest = Math.floor((this.#now() - RATE_SPAN) / RATE_STEP)
    while (this.#steps[0] !== undefined && this.#steps[0].at <= oldest) this.#steps.shift()
  }
}

/** Collects the stats of synchronisation. */
export class SyncStatsCollector {
  readonly #headers: Rate
  readonly #blocks: Rate
  #stage: SyncStage = 'waiting'
  startingBlock = 0
  highestBlock = 0
  checkedHeader = 0
  peersUsed = 0
  #headerBytes = 0
  #blockBytes = 0

  /** @param now milliseconds, steady */
  constructor(now: () => number) {
    this.#headers = new Rate(now)
    this.#blocks = new Rate(now)
  }

  get stage(): SyncStage {
    return this.#stage
  }

  set stage(stage: SyncStage) {
    if (stage === this.#stage) return
    this.#stage = stage
    if (stage === 'headers') this.#headers.begin()
    if (stage === 'blocks') this.#blocks.begin()
  }

  /** Begins to look for the work behind a claim: a node that follows the tip, or is halted, stays at that. */
  enter(stage: 'connectionPoint' | 'headers'): void {
    if (this.#stage !== 'following' && this.#stage !== 'halted') this.stage = stage
  }

  headers(count: number, bytes: number): void {
    this.#headers.add(count)
    this.#headerBytes += bytes
  }

  blocks(count: number): void {
    this.#blocks.add(count)
  }

  downloaded(bytes: number): void {
    this.#blockBytes += bytes
  }

  /** @param currentBlock height of our best block */
  stats(currentBlock: number): SyncStats {
    const { stage, startingBlock, checkedHeader, peersUsed } = this
    const highestBlock = Math.max(this.highestBlock, currentBlock)
    const blocksPerSecond = this.#blocks.perSecond
    const left = highestBlock - currentBlock
    return {
      stage,
      // The gap that a new block leaves for a moment is none.
      syncing: left >= FAR_BEHIND || (left > 0 && stage !== 'following' && stage !== 'waiting'),
      startingBlock: Math.min(startingBlock, currentBlock),
      currentBlock,
      highestBlock,
      checkedHeader: Math.max(checkedHeader, currentBlock),
      headersPerSecond: this.#headers.perSecond,
      blocksPerSecond,
      secondsLeft: blocksPerSecond > 0 ? Math.ceil(left / blocksPerSecond) : null,
      peersUsed,
      headerBytes: this.#headerBytes,
      blockBytes: this.#blockBytes,
    }
  }
}
