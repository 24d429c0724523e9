import { reasonOf } from '../halt/stall.ts'
import type { BlockOutcome, BlockRefusal, SyncChain } from '../syncChain.ts'
import type { CheckedHeader } from './branch.ts'
import type { DownloadWindow, ReadyBlock } from './downloadWindow.ts'
import type { SyncLimits } from './limits.ts'

/** Most commits in progress at once, and the number of blocks that justifies a second one. */
const COMMITS = 2
const SECOND_COMMIT_BLOCKS = 16

/** Result of a run of blocks. */
export interface CommitReport {
  /** Headers of the newly connected blocks, in order. */
  readonly connected: readonly CheckedHeader[]
  /** Bytes of side blocks since the last block that became the best. */
  readonly sideBytes: number
  /** True when one of them became the best, and with it all below. */
  readonly becameBest: boolean
  /** Reason why the run stopped early. */
  readonly end:
    | null
    | { readonly status: 'refused'; readonly refusal: BlockRefusal; readonly block: ReadyBlock }
    /** The block could not be judged. */
    | { readonly status: 'undecided'; readonly block: ReadyBlock; readonly reason: string }
    /** The chain has no parent of the block, or not the state that its execution starts from. */
    | { readonly status: 'unconnected'; readonly block: ReadyBlock; readonly isTooOld: boolean }
}

interface Commit {
  readonly blocks: readonly ReadyBlock[]
  outcomes: readonly BlockOutcome[] | null
  landed: Promise<void>
}

/**
 * Passes the blocks of a window to the chain, in order: while one commit is executed the next is in transit.
 */
export class BlockFeed {
  readonly #chain: Pick<SyncChain, 'connect'>
  readonly #window: DownloadWindow
  readonly #limits: Pick<SyncLimits, 'commitBlocks' | 'commitBytes'>
  readonly #onLanded: () => void
  readonly #commits: Commit[] = []

  /** @param onLanded called when the chain responded */
  constructor(
    chain: Pick<SyncChain, 'connect'>,
    window: DownloadWindow,
    limits: Pick<SyncLimits, 'commitBlocks' | 'commitBytes'>,
    onLanded: () => void,
  ) {
    this.#chain = chain
    this.#window = window
    this.#limits = limits
    this.#onLanded = onLanded
  }

  /** True when a commit is in progress. */
  get isBusy(): boolean {
    return this.#commits.length > 0
  }

  /** Passes the blocks that can be connected now to the chain. */
  launch(): void {
    while (this.#commits.length < COMMITS) {
      if (this.isBusy && !this.#window.hasReady(SECOND_COMMIT_BLOCKS)) return
      const blocks = this.#window.takeReady(this.#limits.commitBlocks, this.#limits.commitBytes)
      if (blocks.length === 0) return
      const commit: Commit = { blocks, outcomes: null, landed: Promise.resolve() }
      this.#commits.push(commit)
      commit.landed = this.#connect(blocks).then((outcomes) => {
        commit.outcomes = outcomes
        this.#onLanded()
      })
    }
  }

  /** Result of the oldest commit, once it is known. */
  takeReport(): CommitReport | null {
    const [commit] = this.#commits
    if (commit === undefined || commit.outcomes === null) return null
    this.#commits.shift()
    return readOutcomes(commit.blocks, commit.outcomes)
  }

  /** Waits for all commits in progress. */
  async landed(): Promise<void> {
    await Promise.all(this.#commits.map(({ landed }) => landed))
  }

  async #connect(blocks: readonly ReadyBlock[]): Promise<readonly BlockOutcome[]> {
    try {
      return await this.#chain.connect(blocks.map(({ block }) => block))
    } catch (error) {
      return [{ status: 'UNDECIDED', reason: reasonOf(error) }]
    }
  }
}

function readOutcomes(blocks: readonly ReadyBlock[], outcomes: readonly BlockOutcome[]): CommitReport {
  const connected: CheckedHeader[] = []
  let sideBytes = 0
  let becameBest = false
  for (const [index, outcome] of outcomes.entries()) {
    const block = blocks[index]
    if (block === undefined) break
    const report = { connected, sideBytes, becameBest }
    switch (outcome.status) {
      case 'INVALID_BLOCK':
        return { ...report, end: { status: 'refused', refusal: outcome.refusal, block } }
      case 'UNDECIDED':
        return { ...report, end: { status: 'undecided', block, reason: outcome.reason } }
      case 'NO_PARENT':
      case 'TOO_OLD':
        return {
          ...report,
          end: { status: 'unconnected', block, isTooOld: outcome.status === 'TOO_OLD' },
        }
      case 'IMPORTED_NOT_BEST':
        sideBytes += block.block.length
        break
      case 'IMPORTED_BEST':
        sideBytes = 0
        becameBest = true
        break
      case 'EXIST':
    }
    connected.push(block.header)
  }
  const [first] = blocks
  const isUnanswered = connected.length === 0 && first !== undefined
  const end = isUnanswered
    ? ({ status: 'undecided', block: first, reason: 'the chain gave no answer' } as const)
    : null
  return { connected, sideBytes, becameBest, end }
}
