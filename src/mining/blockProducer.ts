import type { Blockchain, ConnectResult } from '../chain/blockchain.ts'
import type { Block } from '../chain/codec/block.ts'
import type { SignedTransaction } from '../chain/codec/transaction.ts'
import type { TransactionPool } from '../txpool/transactionPool.ts'
import type { BlockBuilder, BuiltBlock } from './blockBuilder.ts'
import type { BlockClock } from './blockClock.ts'
import { MiningError } from './errors.ts'
import { sealInProcess, sealWithoutWork } from './seal.ts'

/**
 * Milliseconds after which a group of blocks is committed. Other work of the thread runs in between, and a
 * commit of some milliseconds is a small part of that time.
 */
export const GROUP_MILLISECONDS = 50

/** Seconds from each block to the next: always the same, or at random between the least and the most. */
export type BlockInterval = number | readonly [least: number, most: number]

/** Conditions under which blocks are produced automatically; with neither mode they are made by hand only. */
export interface ProducerMode {
  /** As soon as the pool has an executable transaction. */
  readonly instant: boolean
  /** With or without transactions; null for none. */
  readonly interval: BlockInterval | null
}

/** True when blocks are produced automatically. */
export function isAutomatic({ instant, interval }: ProducerMode): boolean {
  return instant || interval !== null
}

/** Blocks are produced on request only. */
export const MANUAL_MODE: ProducerMode = { instant: false, interval: null }

/** A request to mine blocks. */
export interface MineRequest {
  /** Number of blocks; 1 by default. */
  readonly count?: number
  /** Time of the first block, seconds since 1970, from which later ones continue. */
  readonly timestamp?: number
  /** Interval of block times in seconds; by default they follow the clock. */
  readonly interval?: number
}

/** The transactions that blocks of a request hold in place of the pool's transactions, by their index in it; others are empty. */
export type BlockBodies = ReadonlyMap<number, readonly SignedTransaction[]>

/** Parts of a producer. */
export interface BlockProducerParams {
  readonly chain: Blockchain
  readonly pool: TransactionPool
  readonly builder: BlockBuilder
  /** Receives the result of building a block before the block is imported. */
  readonly provideExecution: (block: Block, built: BuiltBlock) => void
  readonly clock: BlockClock
  readonly mode: ProducerMode
  /** Receives transactions that no block on the head can contain. */
  readonly onUnfit: (built: Pick<BuiltBlock, 'unfit' | 'unreadable'>) => void
  /** True when blocks prove no work, as those of a fork. False by default. */
  readonly provesNoWork?: boolean
  /** Called when the production mode changes. */
  readonly onMode: (mode: ProducerMode) => void
  /** Called when producing a block of the interval failed; the next one is attempted on time. */
  readonly onFailure: (error: unknown) => void
  /**
   * Whether the store accepts writes; while it does not, blocks are produced on request only. True by
   * default.
   */
  readonly canWrite?: () => boolean
  /**
   * Resolves when the best block is the head; null when it is. Where others have to have a block first (fleet.md §3), the
   * next one is made on it then. Always null unless given.
   */
  readonly settled?: () => Promise<void> | null
  /** True when this node makes blocks in an interval. True by default. */
  readonly makesBlocks?: () => boolean
  /** True when the node is stopping: requests for many blocks end with the current block. False by default. */
  readonly isStopping?: () => boolean
}

/**
 * Produces the blocks of a development chain: they are built on the head, sealed in this process, and
 * imported like any other block. Belongs to the chain thread; the pool must follow the chain's head changes.
 */
export class BlockProducer {
  readonly #params: BlockProducerParams
  #mode: ProducerMode = MANUAL_MODE
  #timer: NodeJS.Timeout | null = null
  #stopped = false

  constructor(params: BlockProducerParams) {
    this.#params = params
  }

  get mode(): ProducerMode {
    return this.#mode
  }

  /** Starts in the configured mode; in the instant mode pending transactions are mined at once. */
  start(): void {
    this.setMode(this.#params.mode)
  }

  /** Restarts the interval from now, unless it is unchanged. */
  setMode(mode: ProducerMode): void {
    if (String(mode.interval) !== String(this.#mode.interval)) {
      if (this.#timer !== null) clearTimeout(this.#timer)
      this.#timer = mode.interval === null ? null : this.#startTimer(mode.interval)
    }
    this.#mode = mode
    this.#params.onMode(mode)
    this.#attempt(() => this.mineWaiting())
  }

  #startTimer(interval: BlockInterval): NodeJS.Timeout {
    if (typeof interval === 'number') return setInterval(() => this.#mineInTime(), interval * 1000)
    const [least, most] = interval
    const next = () => {
      this.#timer = this.#startTimer(interval)
      this.#mineInTime()
    }
    return setTimeout(next, (least + Math.random() * (most - least)) * 1000)
  }

  /** Stops production; running requests end with the current block. */
  stop(): void {
    this.setMode(MANUAL_MODE)
    this.#stopped = true
  }

  /**
   * Mines blocks on the head from the pool. Many blocks are committed in groups, between which other work
   * runs: after a failure whole groups remain, and listeners to the head are called for a block when its group is
   * committed.
   * @param isUnwanted called between two blocks: whether the rest is no longer wanted
   * @param bodies what the blocks hold in place of the pool's transactions
   * @throws MiningError, `STOPPED` with the number of blocks that were made
   */
  async mine(
    request: MineRequest = {},
    isUnwanted: () => boolean = () => false,
    bodies: BlockBodies | null = null,
  ): Promise<readonly Block[]> {
    const { count = 1, timestamp } = request
    const { chain, clock } = this.#params
    const isEnded = () => this.#stopped || this.#isStopping || isUnwanted()
    if (timestamp !== undefined) clock.setTo(timestamp, chain.head.timestamp)
    const mined: Block[] = []
    while (mined.length < count) {
      if (mined.length > 0) await new Promise((resolve) => setImmediate(resolve))
      if (this.#stopped || (mined.length > 0 && isEnded())) throw stopped(mined.length, count)
      await this.#settled()
      this.#mineGroup(request, mined, isEnded, bodies)
    }
    await this.#settled()
    return mined
  }

  /**
   * In the instant mode: mines blocks until no pending transaction fits any more.
   * @throws MiningError
   */
  mineWaiting(): void {
    const { pool } = this.#params
    while (this.#mode.instant && this.#canWrite && pool.pendingCount > 0) {
      const built = this.#build()
      if (isEmpty(built.block)) return
      this.#import(built)
    }
  }

  get #canWrite(): boolean {
    return this.#params.canWrite?.() ?? true
  }

  get #isStopping(): boolean {
    return this.#params.isStopping?.() ?? false
  }

  #mineInTime(): void {
    if (!this.#canWrite) return
    if (this.#params.makesBlocks?.() === false) return
    // A block on a head that another waits to follow would have no more difficulty.
    if (this.#settled() === null) this.#attempt(() => this.#import(this.#build()))
  }

  #settled(): Promise<void> | null {
    return this.#params.settled?.() ?? null
  }

  /**
   * Mines the next blocks of a request in one commit.
   * @param mined receives the blocks
   */
  #mineGroup(
    { count = 1, interval }: MineRequest,
    mined: Block[],
    isEnded: () => boolean,
    bodies: BlockBodies | null,
  ): void {
    const { chain, clock, pool } = this.#params
    const end = performance.now() + GROUP_MILLISECONDS
    const group: Block[] = []
    const made = () => mined.length + group.length
    let failure: unknown = null
    const next = (): Block | null => {
      try {
        if (made() > 0 && interval !== undefined) {
          // Two blocks never have the same time: an interval of 0 is the shortest possible one.
          clock.setTo(chain.head.timestamp + Math.max(interval, 1), chain.head.timestamp)
        }
        return this.#seal(this.#build(bodies === null ? pool.inBlockOrder() : (bodies.get(made()) ?? [])))
      } catch (error) {
        // The blocks before it are valid.
        failure = error
        return null
      }
    }
    const blocks = function* () {
      for (let block = next(); block !== null; block = next()) {
        yield block
        // It is connected when the next one is asked for.
        if (!chain.best.hash.equals(block.hash)) return
        clock.blockMade(block.header.timestamp)
        group.push(block)
        if (!chain.head.hash.equals(block.hash)) return
        // The pool takes included transactions out when that is committed.
        if (made() >= count || !isEmpty(block) || performance.now() >= end || isEnded()) return
      }
    }
    clock.attempt(() => {
      const last = chain.connectAll(blocks()).at(-1)
      if (last !== undefined && !isBest(last)) failure = refused(last)
    })
    mined.push(...group)
    if (failure !== null) throw failure
  }

  #build(inBlockOrder: Iterable<SignedTransaction> = this.#params.pool.inBlockOrder()): BuiltBlock {
    const { chain, builder, clock, onUnfit } = this.#params
    const parent = chain.head
    const built = builder.build(parent, inBlockOrder, clock.next(parent.timestamp))
    onUnfit(built)
    return built
  }

  #import(built: BuiltBlock): void {
    const block = this.#seal(built)
    const result = this.#params.chain.connect(block)
    if (!isBest(result)) throw refused(result)
    this.#params.clock.blockMade(block.header.timestamp)
  }

  #seal(built: BuiltBlock): Block {
    const block = (this.#params.provesNoWork === true ? sealWithoutWork : sealInProcess)(built.block)
    this.#params.provideExecution(block, built)
    return block
  }

  #attempt(action: () => void): void {
    try {
      action()
    } catch (error) {
      this.#params.onFailure(error)
    }
  }
}

/** True when a block contains nothing but the reward transaction. */
function isEmpty({ transactions }: Block): boolean {
  return transactions.length <= REWARD_TRANSACTIONS
}

const REWARD_TRANSACTIONS = 1

/** True when a block is the best executed one, head already or not. */
function isBest(result: ConnectResult): boolean {
  return (
    result.status === 'IMPORTED_BEST' || (result.status === 'IMPORTED_NOT_BEST' && result.isHeaviest === true)
  )
}

function refused(result: ConnectResult): MiningError {
  const cause = 'error' in result ? result.error : undefined
  return new MiningError(
    'REFUSED',
    `the chain did not take its own block: ${cause?.message ?? result.status}`,
    {
      cause,
    },
  )
}

function stopped(made: number, count: number): MiningError {
  return new MiningError('STOPPED', `the node stops: ${made} of ${count} blocks were made`)
}
