import type { BlockHeader } from '../chain/codec/header.ts'
import type { TransactionPool } from '../txpool/transactionPool.ts'
import type { BlockBuilder, BuiltBlock } from './blockBuilder.ts'
import type { BlockClock } from './blockClock.ts'

/** Inputs of the next block. */
export interface PendingBlockParams {
  readonly builder: BlockBuilder
  readonly pool: TransactionPool
  readonly clock: BlockClock
  readonly head: () => BlockHeader
}

/** The next block as it would be built now, without proof of work; rebuilt only when an input changed. */
export class PendingBlocks {
  readonly #params: PendingBlockParams
  #built: { readonly key: string; readonly block: BuiltBlock } | null = null

  constructor(params: PendingBlockParams) {
    this.#params = params
  }

  /** Call it when the state after the head was edited. */
  forget(): void {
    this.#built = null
  }

  /** The block; the state after it can be read under its state root. */
  current(): BuiltBlock {
    const { builder, pool, clock, head } = this.#params
    const parent = head()
    const key = `${parent.hashHex}/${pool.version}/${clock.version}`
    if (this.#built?.key === key) return this.#built.block
    const block = builder.build(parent, pool.inBlockOrder(), clock.next(parent.timestamp))
    block.execution.keep()
    this.#built = { key, block }
    return block
  }
}
