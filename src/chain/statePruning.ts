import type { ChainEnvironment } from '../storage/chainEnvironment.ts'
import type { Blockchain } from './blockchain.ts'
import type { BlockHeader } from './codec/header.ts'
import { readHistory, writeHistory } from './tables/metadata.ts'

/** The states of a store that gives the oldest ones up. Positions are those of its log of nodes. */
export interface PrunableStates {
  /** Position before which the state after a block has no node; null when the state is not there. */
  floorAfter(block: BlockHeader): number | null
  /** Position up to which nothing is needed, if this state is the oldest that is kept; null when nothing is gained. */
  prunableAfter(block: BlockHeader): number | null
  /** Gives up what lies before such a position. @returns bytes; zero when it has to wait */
  dropBefore(position: number): number
}

/** States that were given up. */
export interface PrunedStates {
  /** Lowest block whose state is kept. */
  readonly firstState: number
  /** Bytes that were given back to the file system. */
  readonly bytes: number
}

export interface StatePruningOptions {
  readonly chain: Blockchain
  readonly environment: ChainEnvironment
  readonly states: PrunableStates
  /** Blocks whose states are kept. */
  readonly blocks: number
  onPruned?(pruned: PrunedStates): void
  /** Called when nothing could be given up; it is tried again with the next block. */
  onFault?(error: unknown): void
}

/**
 * Gives up the states of old blocks: first the chain store says, durably, from which block on there are states, then the
 * state store drops what only older ones have. A process that ends in between has said less than it keeps.
 */
export class StatePruning {
  readonly #options: StatePruningOptions
  #isDropping = false
  #isStopped = false

  constructor(options: StatePruningOptions) {
    this.#options = options
    this.#settleHistory()
    options.chain.onHead(() => this.#step())
  }

  /** Gives nothing up any more. */
  stop(): void {
    this.#isStopped = true
  }

  #step(): void {
    if (this.#isDropping || this.#isStopped) return
    try {
      this.#prune()
    } catch (error) {
      this.#options.onFault?.(error)
    }
  }

  #prune(): void {
    const { chain, environment, states, blocks } = this.#options
    const number = chain.head.number - blocks
    // Where the chain became shorter there may be a block below the first one with a state, whose state another branch has
    // made again since: it says nothing about those of this chain, which were made of the one that is gone.
    const isKept = number >= Math.max(1, chain.reader.history().firstState)
    const oldest = isKept ? chain.reader.headerByNumber(number) : null
    const end = oldest === null ? null : states.prunableAfter(oldest)
    if (oldest === null || end === null) return
    this.#isDropping = true
    const firstState = this.#lowestFrom(oldest, end)
    this.#writeFirst(firstState)
    void environment
      .flushed()
      .then(() => {
        if (this.#isStopped) return
        const bytes = states.dropBefore(end)
        if (bytes > 0) this.#options.onPruned?.({ firstState, bytes })
      })
      .catch((error: unknown) => this.#options.onFault?.(error))
      .finally(() => {
        this.#isDropping = false
      })
  }

  /** The lowest block below one from which on no state has a node before a position. */
  #lowestFrom(block: BlockHeader, end: number): number {
    const { chain, states } = this.#options
    let number = block.number
    while (number > 0) {
      const below = chain.reader.headerByNumber(number - 1)
      const floor = below === null ? null : states.floorAfter(below)
      if (floor === null || floor < end) break
      number -= 1
    }
    return number
  }

  #writeFirst(firstState: number): void {
    const { chain, environment } = this.#options
    if (firstState <= chain.reader.history().firstState) return
    environment.transaction((writer) => writeHistory(writer, { ...readHistory(writer), firstState }))
    chain.historyChanged()
  }

  /** A disk that lost the newest commits of the chain store may have it say that there are states which are gone. */
  #settleHistory(): void {
    const { chain, states } = this.#options
    let number = chain.reader.history().firstState
    while (number < chain.head.number) {
      const header = chain.reader.headerByNumber(number)
      if (header === null || states.floorAfter(header) !== null) break
      number += 1
    }
    this.#writeFirst(number)
  }
}
