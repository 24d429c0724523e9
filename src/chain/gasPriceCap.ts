import type { Transaction } from './codec/transaction.ts'

/** Multiple of the minimum gas price that a transaction in a block may pay (RSKIP252). */
export const BLOCK_GAS_PRICE_CAP = 100n
/** Multiple of the minimum gas price up to which the pool admits a transaction (RSKIP252). */
export const POOL_GAS_PRICE_CAP = 80n

/** True when the gas price is above the cap; a minimum of zero caps nothing (RSKIP252). */
export function exceedsGasPriceCap(transaction: Transaction, minimumGasPrice: bigint, cap: bigint): boolean {
  if (transaction.isRemasc || minimumGasPrice === 0n) return false
  return transaction.gasPrice > minimumGasPrice * cap
}
