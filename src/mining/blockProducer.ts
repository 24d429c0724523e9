import type { Blockchain } from '../chain/blockchain.ts'
import type { Block } from '../chain/codec/block.ts'
import type { PooledTransaction } from '../txpool/interface.ts'
import type { TransactionPool } from '../txpool/transactionPool.ts'
import { toHex } from '../util/bytes.ts'
import type { BlockBuilder, BuiltBlock } from './blockBuilder.ts'
import type { BlockClock } from './blockClock.ts'
import { MiningError } from './errors.ts'
import { sealInProcess } from './seal.ts'

/** When blocks are made without being asked for; with neither they are made by hand only. */
export interface ProducerMode {
  /** As soon as the pool has a transaction that fits. */
  readonly instant: boolean
  /** Seconds from each block to the next, with or without transactions; null for none. */
  readonly interval: number | null
}

/** Whether blocks are made without being asked for. */
export function isAutomatic({ instant, interval }: ProducerMode): boolean {
  return instant || interval !== null
}

/** Blocks are made when somebody asks for them. */
export const MANUAL_MODE: ProducerMode = { instant: false, interval: null }

/** Blocks asked for by hand. */
export interface MineRequest {
  /** One unless given. */
  readonly count?: number
  /** Time of the first block, seconds since 1970; later ones go on from there. */
  readonly timestamp?: number
  /** Seconds from each block to the next; they follow the clock unless given. */
  readonly interval?: number
}

/** What a producer is made of. */
export interface BlockProducerParams {
  readonly chain: Blockchain
  readonly pool: TransactionPool
  readonly builder: BlockBuilder
  /** Gets what building a block came to before the block is imported. */
  readonly offer: (block: Block, built: BuiltBlock) => void
  readonly clock: BlockClock
  readonly mode: ProducerMode
  /** Gets what left the pool because no block can take it. */
  readonly onEvicted: (evicted: readonly PooledTransaction[]) => void
  /** Told how blocks are made from now on. */
  readonly onMode: (mode: ProducerMode) => void
  /** Called when a block of the interval could not be made; the next is tried in its time. */
  readonly onFailure: (error: unknown) => void
  /** Whether the store takes blocks; without it no block is made unless asked for. Always unless given. */
  readonly canWrite?: () => boolean
}

/**
 * Makes the blocks of a development chain: built on the head, proven in this process, and imported like any
 * other block. Belongs to the chain thread; the pool must follow the chain's head changes.
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

  /** Begins in the mode that was given; transactions that wait are mined at once in the instant mode. */
  start(): void {
    this.setMode(this.#params.mode)
  }

  /** The next block of an interval comes when that time has passed from now, unless the interval is the same. */
  setMode(mode: ProducerMode): void {
    if (mode.interval !== this.#mode.interval) {
      if (this.#timer !== null) clearInterval(this.#timer)
      this.#timer = null
      if (mode.interval !== null) {
        this.#timer = setInterval(() => this.#mineInTime(), mode.interval * 1000)
      }
    }
    this.#mode = mode
    this.#params.onMode(mode)
    this.#attempt(() => this.mineWaiting())
  }

  /** No block is made any more; requests that run end with the block they are at. */
  stop(): void {
    this.setMode(MANUAL_MODE)
    this.#stopped = true
  }

  /**
   * Makes blocks on the head, with what the pool has.
   * @throws MiningError
   */
  async mine({ count = 1, timestamp, interval }: MineRequest = {}): Promise<readonly Block[]> {
    const { chain, clock } = this.#params
    if (timestamp !== undefined) clock.setTo(timestamp, chain.head.timestamp)
    const mined: Block[] = []
    while (mined.length < count && !this.#stopped) {
      // Others get their turn between two blocks.
      if (mined.length > 0) await new Promise((resolve) => setImmediate(resolve))
      if (mined.length > 0 && interval !== undefined) {
        clock.setTo(chain.head.timestamp + interval, chain.head.timestamp)
      }
      mined.push(this.#mineOne())
    }
    return mined
  }

  /**
   * In the instant mode: makes blocks until no pending transaction fits any more.
   * @throws MiningError
   */
  mineWaiting(): void {
    const { pool } = this.#params
    while (this.#mode.instant && this.#canWrite && pool.pendingCount > 0) {
      const built = this.#build()
      if (built.block.transactions.length <= REWARD_TRANSACTIONS) return
      this.#import(built)
    }
  }

  get #canWrite(): boolean {
    return this.#params.canWrite?.() ?? true
  }

  #mineInTime(): void {
    if (this.#canWrite) this.#attempt(() => this.#mineOne())
  }

  #mineOne(): Block {
    return this.#import(this.#build())
  }

  #build(): BuiltBlock {
    const { chain, pool, builder, clock, onEvicted } = this.#params
    const parent = chain.head
    const built = builder.build(parent, pool.inBlockOrder(), clock.next(parent.timestamp))
    for (const { transaction } of built.unfit) onEvicted(pool.evict(transaction.hashHex))
    return built
  }

  #import(built: BuiltBlock): Block {
    const block = sealInProcess(built.block)
    this.#params.offer(block, built)
    const result = this.#params.chain.connect(block)
    if (result.status === 'IMPORTED_BEST') {
      this.#params.clock.blockMade(block.header.timestamp)
      return block
    }
    const cause = result.status === 'INVALID_BLOCK' ? result.error : undefined
    const reason = cause?.message ?? result.status
    throw new MiningError('REFUSED', `own block ${block.number} ${toHex(block.hash)}: ${reason}`, { cause })
  }

  #attempt(action: () => void): void {
    try {
      action()
    } catch (error) {
      this.#params.onFailure(error)
    }
  }
}

/** A block that holds nothing else is empty. */
const REWARD_TRANSACTIONS = 1
