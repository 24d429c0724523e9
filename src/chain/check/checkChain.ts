import type { NetworkSpec } from '../../config/networkSpec.ts'
import { createNativeChainSpec } from '../../native/chainSpec.ts'
import type { ChainEnvironment } from '../../storage/chainEnvironment.ts'
import { ChainStoreReader } from '../chainStoreReader.ts'
import type { BlockHeader } from '../codec/header.ts'
import { type HeightEntry, readHeight } from '../tables/heights.ts'
import { countLogTerms } from '../tables/logIndex.ts'
import { readGenesis, readHead, readHistory } from '../tables/metadata.ts'
import { readPosition } from '../tables/totalDifficulty.ts'
import { checkProofOfWork, type WorkContext } from '../validation/proofOfWork.ts'
import { checkStoredBlock } from './checkBlock.ts'
import { checkLogIndex } from './checkLogIndex.ts'
import type { Problem } from './problem.ts'

/** The reads of states that a check needs. */
export interface StateChecker {
  /** Reads every node of the state after a block. @throws Error for the first that is missing or damaged */
  checkStateAfter(header: BlockHeader): void
  /** Reads the files of the log of nodes. @throws Error for one that is not whole */
  checkLog(): void
  /** Compares the table of the newest state with the trie. @throws Error for the first difference */
  checkHead(): void
  /** True when the root of the state after a block is stored. */
  hasStateAfter(header: BlockHeader): boolean
  /** The same for a root that no header names. */
  hasRoot(root: Buffer): boolean
}

export interface CheckOptions {
  readonly spec: NetworkSpec
  readonly environment: ChainEnvironment
  readonly states: StateChecker
  /** Number of most recent canonical blocks whose whole state is read. */
  readonly stateBlocks: number
  /**
   * Reads the states of side blocks, too, compares the table of the newest state with the trie and senders with
   * signatures, checks proofs of work, and counts the index of logs.
   */
  readonly full?: boolean
  /** Called after each height with the number of heights left. */
  readonly onHeight?: (height: number) => void
}

/** Counts of what a check covered. */
export interface CheckReport {
  readonly problems: readonly Problem[]
  readonly blocks: number
  readonly sideBlocks: number
  /** States of canonical blocks. */
  readonly states: number
}

/**
 * Walks the store from the head down: the canonical chain is linked, everything that belongs to a block is
 * there and fits it, the indices are complete and correct, the states that blocks and edits name are stored,
 * and the most recent can be read whole.
 */
export function checkChain(options: CheckOptions): CheckReport {
  const walk = new Walk(options)
  walk.run()
  return { problems: walk.problems, blocks: walk.blocks, sideBlocks: walk.sideBlocks, states: walk.states }
}

class Walk {
  readonly problems: Problem[] = []
  blocks = 0
  sideBlocks = 0
  states = 0
  readonly #options: CheckOptions
  readonly #work: WorkContext
  /** Lowest block whose state is stored. */
  #firstState = 0
  /** Terms of the logs of all canonical blocks. */
  #logTerms = 0

  constructor(options: CheckOptions) {
    this.#options = options
    const { spec } = options
    this.#work = { spec, nativeSpec: createNativeChainSpec(spec), disabledRules: new Set() }
  }

  run(): void {
    const { environment, onHeight } = this.#options
    const head = readHead(environment)
    const position = head && readPosition(environment, head)
    if (head === undefined || position === undefined) {
      this.#problem(null, null, 'the store has no head')
      return
    }
    const { firstBlock, firstState } = readHistory(environment)
    this.#firstState = firstState
    let expected: Buffer | null = head
    for (let height = position.height; height >= firstBlock; height -= 1) {
      const readState = position.height - height < this.#options.stateBlocks && height >= firstState
      expected = this.#checkHeight(height, expected, readState)
      onHeight?.(height)
    }
    // Blocks in between are not stored: genesis stands alone.
    if (firstBlock > 0) this.#checkHeight(0, null, false)
    this.#checkEdits()
    const genesis = readGenesis(environment)
    const lowest = readHeight(environment, 0)[0]?.hash
    if (genesis === undefined || lowest?.equals(genesis) !== true)
      this.#problem(0, lowest ?? null, 'it is not the genesis block')
    this.#checkAbove(position.height)
    if (this.#options.full === true) this.#checkStore()
    // Surplus entries of the index show in their number alone.
    if (this.#options.full === true && firstBlock === 0) {
      const indexed = countLogTerms(environment)
      if (indexed !== this.#logTerms)
        this.#problem(null, null, `the index of logs has ${indexed} entries, expected ${this.#logTerms}`)
    }
    if (firstBlock > 1 && readHeight(environment, firstBlock - 1).length > 0)
      this.#problem(firstBlock - 1, null, 'it is stored below the first block that is kept')
  }

  /** @returns the parent that the canonical block names, or null when it is unknown */
  #checkHeight(height: number, expected: Buffer | null, readState: boolean): Buffer | null {
    const entries = readHeight(this.#options.environment, height)
    const canonical = entries.filter((entry) => entry.canonical)
    const [block] = canonical
    if (block === undefined || canonical.length !== 1) {
      this.#problem(height, null, `the height has ${canonical.length} canonical blocks`)
    }
    if (block !== undefined && expected !== null && !block.hash.equals(expected)) {
      this.#problem(height, block.hash, `the block above names ${expected.toString('hex')} as its parent`)
    }
    for (const side of entries.filter((entry) => !entry.canonical)) {
      this.sideBlocks += 1
      const header = this.#checkEntry(height, side)
      if (header !== null && readState && this.#options.full === true && !this.#isPruned(header))
        this.#checkState(header)
    }
    if (block === undefined) return null
    this.blocks += 1
    const header = this.#checkEntry(height, block)
    this.#checkLogs(height, block.hash)
    if (header !== null && readState) {
      this.states += 1
      this.#checkState(header)
    } else if (header !== null && height >= this.#firstState && !this.#options.states.hasStateAfter(header)) {
      this.#problem(height, block.hash, 'its state is missing')
    }
    return header?.parentHash ?? null
  }

  #checkEntry(height: number, entry: HeightEntry): BlockHeader | null {
    const { spec, environment, full = false } = this.#options
    const { block, problems } = checkStoredBlock(
      spec,
      environment,
      { number: height, hash: entry.hash },
      full,
    )
    for (const message of problems) this.#problem(height, entry.hash, message)
    if (block !== null && block.number !== height)
      this.#problem(height, entry.hash, `it has the height ${block.number}`)
    // The hash of a block leaves out how its Bitcoin block is proven.
    const fault = full && block !== null && height > 0 ? checkProofOfWork(this.#work, block.header) : null
    if (fault !== null) this.#problem(height, entry.hash, `its proof of work: ${fault.found}`)
    return block?.header ?? null
  }

  #checkLogs(height: number, hash: Buffer): void {
    const { terms, problems } = checkLogIndex(this.#options.environment, height, hash)
    this.#logTerms += terms
    for (const message of problems) this.#problem(height, hash, message)
  }

  /** Checks that the edits of a development chain are in both stores. */
  #checkEdits(): void {
    const { environment, states } = this.#options
    for (const { key: hash, value: root } of environment.entries('stateEdits')) {
      const height = readPosition(environment, hash)?.height ?? null
      if (height === null)
        this.#problem(
          null,
          hash,
          `the state after ${hash.toString('hex')}, which is no block here, was edited`,
        )
      else if (!states.hasRoot(root))
        this.#problem(
          height,
          hash,
          `its state was edited, and ${root.toString('hex')}, what it became, is missing`,
        )
    }
  }

  #checkState(header: BlockHeader): void {
    try {
      this.#options.states.checkStateAfter(header)
    } catch (error) {
      this.#problem(
        header.number,
        header.hash,
        `its state: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }

  /** True when the state after a side block was made of one that is not kept. */
  #isPruned(header: BlockHeader): boolean {
    if (this.#firstState === 0 || this.#options.states.hasStateAfter(header)) return false
    const { environment, spec } = this.#options
    const reader = new ChainStoreReader(spec, environment)
    let below: BlockHeader | null = header
    while (below !== null && !reader.isCanonical(below.hash)) below = reader.headerByHash(below.parentHash)
    return below === null || below.number < this.#firstState
  }

  #checkStore(): void {
    const { states } = this.#options
    this.#try('the table of the newest state', () => states.checkHead())
    this.#try('the files of states', () => states.checkLog())
  }

  #try(what: string, check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#problem(null, null, `${what}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** Above the head there are side blocks at most. */
  #checkAbove(headHeight: number): void {
    for (let height = headHeight + 1; ; height += 1) {
      const entries = readHeight(this.#options.environment, height)
      if (entries.length === 0) return
      for (const entry of entries) {
        this.sideBlocks += 1
        if (entry.canonical) this.#problem(height, entry.hash, 'it is canonical above the head')
        this.#checkEntry(height, entry)
      }
    }
  }

  #problem(number: number | null, hash: Buffer | null, message: string): void {
    this.problems.push({ number, hash: hash?.toString('hex') ?? '', message })
  }
}
