import { randomBytes } from 'node:crypto'
import type { AdjustablePolicy, BlockAdjustment } from '../../mining/adjustablePolicy.ts'
import type { BlockClock } from '../../mining/blockClock.ts'
import type { PoolSelection } from '../../rpc/devCommands.ts'
import type { PooledTransaction } from '../../txpool/interface.ts'
import type { TransactionPool } from '../../txpool/transactionPool.ts'
import { toHex } from '../../util/bytes.ts'

const INSTANCE_BYTES = 32

/** The parts that the settings of a development chain work on. */
export interface DevSettingsParams {
  readonly policy: AdjustablePolicy
  readonly clock: BlockClock
  readonly pool: TransactionPool
  /** To be called when the next block would be another one. */
  readonly onAdjusted: (adjustment: BlockAdjustment) => void
  /** Gets what left the pool. */
  readonly onDropped: (dropped: readonly PooledTransaction[]) => void
}

/**
 * The settings of a development chain by its users, for blocks to come and for the pool. Belongs to the chain thread.
 */
export class DevSettings {
  readonly #params: DevSettingsParams
  #instance = newInstance()

  constructor(params: DevSettingsParams) {
    this.#params = params
  }

  /** Names this chain in this run, 0x and 32 bytes: tools keep what they know of deployments under it. */
  get instance(): string {
    return this.#instance
  }

  /** To be called when the chain began anew. */
  renew(): void {
    this.#instance = newInstance()
  }

  /** Changes what blocks are made with from the next one on. */
  adjust(adjustment: BlockAdjustment): void {
    this.#params.policy.adjust(adjustment)
    this.#params.onAdjusted(adjustment)
  }

  /** Gives blocks times so many seconds apart; null follows the clock. @returns whether there was an interval */
  setTimestampInterval(seconds: number | null): boolean {
    const { clock } = this.#params
    const had = clock.interval !== null
    clock.setInterval(seconds)
    this.#params.onAdjusted({})
    return had
  }

  /** Takes transactions out of the pool. @returns whether there was one */
  dropTransactions(selection: PoolSelection): boolean {
    const { pool, onDropped } = this.#params
    const dropped = hashesOf(pool, selection).flatMap((hashHex) => pool.evict(hashHex))
    onDropped(dropped)
    return dropped.length > 0
  }
}

function hashesOf(pool: TransactionPool, { hash, sender }: PoolSelection): string[] {
  if (hash !== undefined) return [hash.toString('hex')]
  const entries = [...pool.pending(), ...pool.queued()]
  return entries
    .filter((entry) => sender === undefined || entry.sender.equals(sender))
    .map(({ transaction }) => transaction.hashHex)
}

function newInstance(): string {
  return toHex(randomBytes(INSTANCE_BYTES))
}
