import type { NetworkSpec } from '../config/networkSpec.ts'
import type { NativeChainSpec } from '../native/chainSpec.ts'
import type { ChainEnvironment, TableWriter } from '../storage/chainEnvironment.ts'
import { commitBoth } from '../storage/commitBoth.ts'
import { StorageError } from '../storage/errors.ts'
import { ancestorOf } from './ancestorOf.ts'
import { Ancestry } from './ancestry.ts'
import type { BlockExecutor, ExecutedBlock } from './blockExecutor.ts'
import { ChainStoreReader } from './chainStoreReader.ts'
import { type HeadChange, moveHead, writeBlock } from './chainWriter.ts'
import type { Block } from './codec/block.ts'
import type { BlockHeader } from './codec/header.ts'
import { followChange, followStored } from './followHead.ts'
import { type BranchTip, isBetterTip } from './forkChoice.ts'
import { findHeaviest } from './heaviestBlock.ts'
import { OrphanBlocks } from './orphanBlocks.ts'
import { rewindTo } from './rewind.ts'
import { LogIndexChanges } from './tables/logIndex.ts'
import { type StoredHistory, writeHead } from './tables/metadata.ts'
import { readPosition } from './tables/totalDifficulty.ts'
import type { OptionalRule } from './validation/blockRules.ts'
import { InvalidBlockError, UndecidedBlockError } from './validation/errors.ts'
import { createInvalidBlockError, validateBlock } from './validation/validateBlock.ts'
import type { ValidationContext } from './validation/validationContext.ts'

/** The result of connecting a block (consensus.md §7). */
export type ConnectResult =
  | { readonly status: 'IMPORTED_BEST'; readonly change: HeadChange }
  | {
      readonly status: 'IMPORTED_NOT_BEST'
      /** True when it is the best executed block all the same, and waits to be adopted. */
      readonly isHeaviest?: boolean
    }
  | { readonly status: 'EXIST' }
  /** Held until its parent arrives, as long as there is room. */
  | { readonly status: 'NO_PARENT' }
  /**
   * Branches off below the block of the snapshot that the node started from, so that its ancestors are not
   * stored.
   */
  | { readonly status: 'TOO_OLD' }
  | { readonly status: 'INVALID_BLOCK'; readonly error: InvalidBlockError }
  /** The block could not be validated, which says nothing about the block. */
  | { readonly status: 'UNDECIDED'; readonly error: UndecidedBlockError }

const HASH_BYTES = 32

/** Hashes of rejected old blocks that are remembered. */
const MAX_TOO_OLD = 1024

/** The parts of a chain. */
export interface BlockchainOptions {
  readonly spec: NetworkSpec
  readonly nativeSpec: NativeChainSpec
  readonly environment: ChainEnvironment
  readonly executor: BlockExecutor
  /** Rules that recorded chains break; none on a network. */
  readonly disabledRules?: ReadonlySet<OptionalRule>
  /**
   * Whether the best executed block is the head with the commit that executes it; else {@link Blockchain.moveHead} makes
   * it so, as in a fleet (fleet.md §3). Always unless given.
   */
  readonly adoptsAtOnce?: () => boolean
  /** Seconds since 1970. */
  readonly now?: () => number
}

/** Hooks that a caller of a rewind adds to it. */
export interface RewindHooks {
  /** True when blocks of the same heights follow, so that the pool goes on as it is. */
  readonly keepsPool?: boolean
  /** Writes to the transaction that disconnects the blocks, before they are disconnected. */
  before?(writer: TableWriter): void
  /** Called after the commit, before listeners are called. */
  committed?(): void
}

/** The chain of one network: connects blocks and chooses the head. Only the thread that writes has one. */
export class Blockchain {
  readonly reader: ChainStoreReader
  /** Recent connected blocks, for the validation rules. */
  readonly ancestry: Ancestry
  readonly #environment: ChainEnvironment
  readonly #executor: BlockExecutor
  readonly #context: ValidationContext
  readonly #orphans = new OrphanBlocks()
  readonly #adoptsAtOnce: () => boolean
  readonly #listeners = new Set<(change: HeadChange) => void>()
  readonly #acceptListeners = new Set<(blocks: readonly Block[]) => void>()
  /** Pending changes of the log index in the open transaction. */
  #logIndex = new LogIndexChanges()
  /**
   * Set on a node that started from a snapshot: blocks below the first, and states before that one, are not
   * stored.
   */
  #history: StoredHistory
  /** Hashes of blocks rejected for being older than that, so that their descendants need not wait. */
  readonly #tooOld = new Set<string>()
  #head: BlockHeader
  /** The best executed block, while that is not the head. */
  #waiting: BlockHeader | null = null
  /**
   * Blocks of the last commit while its listeners run, then only its head, for readers of what it brought.
   */
  readonly #newest = new Map<string, Block>()
  #connectTime = 0

  /**
   * Resumes from the stored head; genesis must be stored (`initializeChain`).
   * @throws StorageError when the head or its state is missing
   */
  constructor(options: BlockchainOptions) {
    const { spec, nativeSpec, environment, executor } = options
    this.#environment = environment
    this.#executor = executor
    this.#adoptsAtOnce = options.adoptsAtOnce ?? (() => true)
    this.reader = new ChainStoreReader(spec, environment)
    this.ancestry = new Ancestry((hashHex) => {
      const block = this.reader.blockByHash(Buffer.from(hashHex, 'hex'))
      return block === null ? undefined : ancestorOf(block)
    })
    this.#context = {
      spec,
      nativeSpec,
      disabledRules: options.disabledRules ?? new Set(),
      ancestry: this.ancestry,
      headerByHash: (hash) => this.#headerByHash(hash),
      nonceAfter: (block, account) => executor.nonceAfter(block, account),
      now: options.now ?? (() => Math.floor(Date.now() / 1000)),
    }
    this.#history = this.reader.history()
    this.#head = this.reader.head()
    if (!executor.hasStateAfter(this.#head)) {
      throw new StorageError('STORAGE_CORRUPT', `the state after the head ${this.#head.hashHex} is missing`)
    }
    followStored(executor, this.reader, this.#head)
    if (options.adoptsAtOnce !== undefined) this.#waiting = this.#findWaiting()
  }

  /** Header of the canonical head. */
  get head(): BlockHeader {
    return this.#head
  }

  /** Header of the best executed block: the head, unless that one waits to be adopted. */
  get best(): BlockHeader {
    return this.#waiting ?? this.#head
  }

  /** A stored block, or null. */
  blockByHash(hash: Buffer): Block | null {
    return this.#newest.get(hash.toString('hex')) ?? this.reader.blockByHash(hash)
  }

  /** Milliseconds that the last commit of blocks took: validation, execution, writing. */
  get connectTime(): number {
    return this.#connectTime
  }

  /** Blocks that wait for their parent. */
  get orphanCount(): number {
    return this.#orphans.size
  }

  /**
   * Calls a listener after every commit that changed the head. Returns a function that removes the listener.
   */
  onHead(listener: (change: HeadChange) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /**
   * Calls a listener after every commit with the blocks that it connected, in order. Returns a function that removes
   * the listener.
   */
  onAccepted(listener: (blocks: readonly Block[]) => void): () => void {
    this.#acceptListeners.add(listener)
    return () => {
      this.#acceptListeners.delete(listener)
    }
  }

  /**
   * Makes a connected block the head, in one commit: one above, an ancestor, or one of another branch. Blocks that leave
   * the canonical chain by this stay connected.
   * @throws RangeError when the block is not connected
   * @throws StorageError `STORAGE_NOT_KEPT` when its state is not kept
   */
  moveHead(hash: Buffer): HeadChange {
    const began = performance.now()
    const to = this.#headerByHash(hash)
    if (to === undefined) throw new RangeError(`block ${hash.toString('hex')} is not executed here`)
    if (to.hash.equals(this.#head.hash)) return { head: this.#head, retracted: [], enacted: [] }
    const { firstState } = this.#history
    if (to.number < firstState || !this.#executor.hasStateAfter(to)) throw stateNotKept(to, firstState)
    const index = new LogIndexChanges()
    const change = commitBoth(this.#executor, this.#environment, (writer) => {
      const found = moveHead(writer, this.reader, this.#head, to, index)
      index.write(writer)
      return found
    })
    this.#head = to
    if (this.#waiting?.hash.equals(to.hash) === true) this.#waiting = null
    followChange(this.#executor, this.reader, change)
    this.#connectTime = performance.now() - began
    this.#notify(change)
    return change
  }

  /**
   * Goes back to a canonical block: those above it are disconnected, as if they had never come. Only a
   * development chain and `rhizome rewind` do this.
   * @param hooks what else belongs to it
   * @throws RangeError when the block is not below the head
   * @throws StorageError when its state is not kept
   */
  rewind(to: BlockHeader, hooks: RewindHooks = {}): HeadChange {
    const { firstBlock, firstState } = this.#history
    if (to.number < firstState || to.number < firstBlock) throw stateNotKept(to, firstState)
    const index = new LogIndexChanges()
    const change = commitBoth(this.#executor, this.#environment, (writer) => {
      hooks.before?.(writer)
      const found = rewindTo(writer, this.reader, this.#head, to, index)
      index.write(writer)
      return {
        ...found,
        isReset: true as const,
        ...(hooks.keepsPool === true && { keepsPool: true as const }),
      }
    })
    this.#head = to
    this.#waiting = null
    hooks.committed?.()
    this.#executor.headChanged(to)
    this.#notify(change)
    return change
  }

  /** To be called when states of old blocks are about to be given up: the chain store says from where on they are kept. */
  historyChanged(): void {
    this.#history = this.reader.history()
  }

  /** To be called when the state after the head was edited: reads of it are no longer what was kept. */
  stateEdited(): void {
    this.#executor.headChanged(this.#head)
  }

  /**
   * Begins with the block of a snapshot instead of genesis: one commit of both stores makes it the head.
   * @param write makes it and the blocks below it canonical, and says from where on there is history
   * @throws StorageError when the chain has blocks, or the state after the block is missing
   */
  adopt(hash: Buffer, write: (writer: TableWriter) => void): void {
    if (this.#head.number > 0) throw new StorageError('STORAGE_CORRUPT', 'the chain has blocks already')
    const head = commitBoth(this.#executor, this.#environment, (writer) => {
      write(writer)
      const found = this.reader.headerByHash(hash)
      if (found === null || !this.#executor.hasStateAfter(found))
        throw new StorageError('STORAGE_CORRUPT', `block ${hash.toString('hex')} or its state is missing`)
      writeHead(writer, hash)
      return found
    })
    this.#head = head
    this.#history = this.reader.history()
    this.#executor.headChanged(head)
    this.#waiting = null
    this.#notify({ head, retracted: [], enacted: [], isReset: true })
  }

  /** Connects one block, and those that waited for it, in one commit. */
  connect(block: Block): ConnectResult {
    const [result] = this.connectAll([block])
    if (result === undefined) throw new Error('no result for a block')
    return result
  }

  /**
   * Connects blocks in order, in one commit: first the states become durable, then everything else in one
   * transaction. Ends with the first block that is invalid or cannot be judged; what came before it stays.
   * @returns one result per block that was looked at
   */
  connectAll(blocks: Iterable<Block>): ConnectResult[] {
    const began = performance.now()
    const head = this.#head
    const waiting = this.#waiting
    const changes: HeadChange[] = []
    this.#logIndex = new LogIndexChanges()
    this.#newest.clear()
    try {
      const results = commitBoth(this.#executor, this.#environment, (writer) => {
        const found: ConnectResult[] = []
        for (const block of blocks) {
          const result = this.#connect(writer, block, changes)
          found.push(result)
          if (result.status === 'INVALID_BLOCK' || result.status === 'UNDECIDED') break
          if (result.status === 'IMPORTED_BEST' || result.status === 'IMPORTED_NOT_BEST') {
            this.#connectOrphans(writer, block.hashHex, changes)
          }
        }
        this.#logIndex.write(writer)
        return found
      })
      this.#connectTime = performance.now() - began
      if (this.#acceptListeners.size > 0) this.#reportAccepted()
      if (changes.length > 0) this.#notify(mergeChanges(changes))
      return results
    } catch (error) {
      this.#head = head
      this.#waiting = waiting
      this.#newest.clear()
      this.#executor.headChanged(head)
      throw error
    }
  }

  /** Order of consensus.md §4.1. */
  #connect(writer: TableWriter, block: Block, changes: HeadChange[]): ConnectResult {
    if (readPosition(writer, block.hash) !== undefined) return { status: 'EXIST' }
    if (block.header.parentHash.length !== HASH_BYTES) {
      return { status: 'INVALID_BLOCK', error: namesNoBlock(block) }
    }
    if (this.#isTooOld(writer, block)) return { status: 'TOO_OLD' }
    const parent = this.#headerByHash(block.header.parentHash)
    const position = parent && readPosition(writer, parent.hash)
    if (parent === undefined || position === undefined) {
      this.#orphans.add(block)
      return { status: 'NO_PARENT' }
    }
    try {
      const totalDifficulty = position.totalDifficulty + block.cumulativeDifficulty
      const { receipts } = this.#accept(writer, block, parent, totalDifficulty)
      return this.#choose(writer, block, totalDifficulty, receipts, changes)
    } catch (error) {
      if (error instanceof InvalidBlockError) return { status: 'INVALID_BLOCK', error }
      if (error instanceof UndecidedBlockError) return { status: 'UNDECIDED', error }
      throw error
    }
  }

  /** True when a block, or one that it stands on, needs a state that is not kept. */
  #isTooOld(writer: TableWriter, block: Block): boolean {
    const { firstBlock, firstState } = this.#history
    if (firstState === 0) return false
    const parentHex = block.header.parentHash.toString('hex')
    const isBelow = () => {
      const parent = this.#headerByHash(block.header.parentHash)
      if (parent === undefined || parent.number >= firstState) return false
      return readPosition(writer, parent.hash) !== undefined && !this.#executor.hasStateAfter(parent)
    }
    if (block.number >= firstBlock && !this.#tooOld.has(parentHex) && !isBelow()) return false
    this.#tooOld.add(block.hashHex)
    const oldest = this.#tooOld.values().next()
    if (this.#tooOld.size > MAX_TOO_OLD && !oldest.done) this.#tooOld.delete(oldest.value)
    return true
  }

  #accept(writer: TableWriter, block: Block, parent: BlockHeader, totalDifficulty: bigint): ExecutedBlock {
    if (block.number === 0) {
      throw createInvalidBlockError('blockNumber', { expected: 'a height above 0', found: '0' }, block)
    }
    const executed = this.#execute(block, parent)
    writeBlock(writer, block, { receipts: executed.receipts, totalDifficulty })
    this.#executor.connected(block, totalDifficulty)
    this.ancestry.add(ancestorOf(block))
    this.#newest.set(block.hashHex, block)
    return executed
  }

  /** Applies every rule. Nothing is written, so that a failure leaves the blocks before this one. */
  #execute(block: Block, parent: BlockHeader): ExecutedBlock {
    try {
      validateBlock(this.#context, block, parent)
      return this.#executor.execute(block, parent)
    } catch (error) {
      if (error instanceof InvalidBlockError) throw error
      throw new UndecidedBlockError(block, error)
    }
  }

  #choose(
    writer: TableWriter,
    block: Block,
    totalDifficulty: bigint,
    receipts: Buffer | null,
    changes: HeadChange[],
  ): ConnectResult {
    const { best } = this
    const position = readPosition(writer, best.hash)
    if (position === undefined) throw new StorageError('STORAGE_CORRUPT', 'the head has no total difficulty')
    const tip = tipOf(best, position.totalDifficulty)
    if (!isBetterTip(tipOf(block.header, totalDifficulty), tip)) return { status: 'IMPORTED_NOT_BEST' }
    if (!this.#adoptsAtOnce()) {
      this.#waiting = block.header
      return { status: 'IMPORTED_NOT_BEST', isHeaviest: true }
    }
    this.#waiting = null
    const change = moveHead(writer, this.reader, this.#head, block.header, this.#logIndex, receipts)
    this.#head = block.header
    followChange(this.#executor, this.reader, change)
    changes.push(change)
    return { status: 'IMPORTED_BEST', change }
  }

  /** Connects what waited for a block; an invalid one among them is dropped. */
  #connectOrphans(writer: TableWriter, parentHashHex: string, changes: HeadChange[]): void {
    const waiting = this.#orphans.takeChildren(parentHashHex)
    for (let block = waiting.shift(); block !== undefined; block = waiting.shift()) {
      const { status } = this.#connect(writer, block, changes)
      if (status === 'IMPORTED_BEST' || status === 'IMPORTED_NOT_BEST') {
        waiting.push(...this.#orphans.takeChildren(block.hashHex))
      }
    }
  }

  /** The best executed block after a start, when it is not the head. */
  #findWaiting(): BlockHeader | null {
    const { hash } = findHeaviest(this.#environment, this.#head)
    if (hash.equals(this.#head.hash)) return null
    const header = this.reader.headerByHash(hash)
    return header !== null && this.#executor.hasStateAfter(header) ? header : null
  }

  #headerByHash(hash: Buffer): BlockHeader | undefined {
    if (this.#head.hash.equals(hash)) return this.#head
    if (this.#waiting?.hash.equals(hash) === true) return this.#waiting
    return this.reader.headerByHash(hash) ?? undefined
  }

  #reportAccepted(): void {
    const blocks = [...this.#newest.values()]
    if (blocks.length === 0) return
    for (const listener of this.#acceptListeners) listener(blocks)
  }

  #notify(change: HeadChange): void {
    for (const listener of this.#listeners) listener(change)
    const head = this.#newest.get(this.#head.hashHex)
    this.#newest.clear()
    if (head !== undefined) this.#newest.set(head.hashHex, head)
  }
}

function tipOf({ hash, fields: { paidFees } }: BlockHeader, totalDifficulty: bigint): BranchTip {
  return { hash, totalDifficulty, paidFees }
}

/** The changes of one commit, in order, as one: what joined and left again, or the other way round, was never reported. */
function mergeChanges(changes: readonly HeadChange[]): HeadChange {
  const enacted: BlockHeader[] = []
  const retracted: BlockHeader[] = []
  let head: BlockHeader | undefined
  for (const change of changes) {
    for (const header of change.retracted) {
      if (enacted.at(-1)?.hash.equals(header.hash) === true) enacted.pop()
      else retracted.push(header)
    }
    for (const header of change.enacted) {
      if (enacted.length === 0 && retracted.at(-1)?.hash.equals(header.hash) === true) retracted.pop()
      else enacted.push(header)
    }
    head = change.head
  }
  if (head === undefined) throw new RangeError('one change at least is expected')
  return { head, retracted, enacted }
}

/** No block can become known as such a parent: the block does not wait for one. */
function namesNoBlock(block: Block): InvalidBlockError {
  const found = String(block.header.parentHash.length)
  return createInvalidBlockError(
    'encoding',
    { expected: `a parent hash of ${HASH_BYTES} bytes`, found },
    block,
  )
}

function stateNotKept(header: BlockHeader, firstState: number): StorageError {
  return new StorageError(
    'STORAGE_NOT_KEPT',
    `the state after block ${header.number} ${header.hashHex} is not kept: this node keeps states from block ${firstState}`,
  )
}
