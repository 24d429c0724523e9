import type { SignedTransaction } from '../chain/codec/transaction.ts'
import { BLOCK_GAS_PRICE_CAP, exceedsGasPriceCap } from '../chain/gasPriceCap.ts'
import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'

/** Least gas of a transaction, which bounds the number of transactions of a block. */
const MIN_TRANSACTION_GAS = 21_000n
/**
 * Transactions tried per slot of the block, so that a large pool does not slow down block building: each one
 * tried costs some ten microseconds even when it does not fit. Revise when blocks stay emptier than the pool
 * allows.
 */
const TRIES_PER_TRANSACTION = 4n

/** Candidates for a block on the head. */
export interface Candidates {
  /** In block order. */
  readonly chosen: readonly SignedTransaction[]
  /**
   * Transactions whose price is below what any block at this minimum gas price admits; they are dropped from
   * the pool.
   */
  readonly unfit: readonly SignedTransaction[]
}

/** Applies the price rules of the next block (consensus.md §9.4 step 3). */
export function chooseCandidates(
  spec: NetworkSpec,
  inBlockOrder: Iterable<SignedTransaction>,
  block: { readonly number: number; readonly minimumGasPrice: bigint; readonly gasLimit: bigint },
): Candidates {
  const capped = isActive(spec, 'rskip252', block.number)
  const most = Number((block.gasLimit / MIN_TRANSACTION_GAS) * TRIES_PER_TRANSACTION)
  const chosen: SignedTransaction[] = []
  const unfit: SignedTransaction[] = []
  for (const entry of inBlockOrder) {
    if (chosen.length >= most) break
    const { transaction } = entry
    const tooHigh = capped && exceedsGasPriceCap(transaction, block.minimumGasPrice, BLOCK_GAS_PRICE_CAP)
    if (tooHigh || transaction.gasPrice < block.minimumGasPrice) unfit.push(entry)
    else chosen.push(entry)
  }
  return { chosen, unfit }
}
