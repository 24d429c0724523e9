import type { Blockchain } from './blockchain.ts'
import type { BlockHeader } from './codec/header.ts'
import { firstBlockWithValues } from './firstValues.ts'

/** The values of states in a store that gives the oldest ones up. */
export interface PrunableValues {
  /** True when values of the state after a block are there. */
  hasValuesAfter(block: BlockHeader): boolean
  /**
   * Has values of states before that after a block given up, some hundred states at a time.
   * @returns where the states begin at present, a number that grows as they are given up
   */
  dropValuesBefore(block: BlockHeader): number
}

/** Values that were given up. */
export interface PrunedValues {
  /** Lowest block whose values are kept. */
  readonly firstValues: number
}

export interface ValuePruningOptions {
  readonly chain: Blockchain
  readonly values: PrunableValues
  /** Blocks whose values are kept. */
  readonly blocks: number
  onPruned?(pruned: PrunedValues): void
  /** Called when nothing could be given up; it is tried again with the next block. */
  onFault?(error: unknown): void
}

/** Parts of what is kept after which it is said that older values were given up, and the least number of blocks. */
const REPORTED_PART = 4
const MIN_REPORTED_BLOCKS = 256

/**
 * Gives up the values of old blocks. The state store says itself which it has, so that nothing has to be written before: a
 * process that ends in between has them all or not.
 */
export class ValuePruning {
  readonly #options: ValuePruningOptions
  #begin: number | null = null
  #reported: number
  /** The highest block that the store was asked to begin with. */
  #oldest: number
  #isStopped = false

  constructor(options: ValuePruningOptions) {
    this.#options = options
    this.#reported = this.#first()
    this.#oldest = this.#reported
    options.chain.onHead(() => this.#step())
  }

  /** Gives nothing up any more. */
  stop(): void {
    this.#isStopped = true
  }

  #step(): void {
    const { chain, values, blocks } = this.#options
    const number = chain.head.number - blocks
    // Of a chain that became shorter this may be a block whose values are gone, but whose state another branch has made
    // again since: the store would begin there, behind blocks that are kept.
    if (number < Math.max(1, this.#oldest) || this.#isStopped) return
    try {
      const oldest = chain.reader.headerByNumber(number)
      if (oldest === null) return
      this.#oldest = number
      const begin = values.dropValuesBefore(oldest)
      if (begin !== this.#begin) this.#report()
      this.#begin = begin
    } catch (error) {
      this.#options.onFault?.(error)
    }
  }

  #report(): void {
    const { blocks, onPruned } = this.#options
    const firstValues = this.#first()
    if (firstValues - this.#reported < Math.max(MIN_REPORTED_BLOCKS, blocks / REPORTED_PART)) return
    this.#reported = firstValues
    onPruned?.({ firstValues })
  }

  #first(): number {
    const { chain, values } = this.#options
    return firstBlockWithValues(chain.reader.history().firstState, (number) => {
      const header = chain.reader.headerByNumber(number)
      return header !== null && values.hasValuesAfter(header)
    })
  }
}
