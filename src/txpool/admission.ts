import type { Transaction } from '../chain/codec/transaction.ts'
import { exceedsGasPriceCap, POOL_GAS_PRICE_CAP } from '../chain/gasPriceCap.ts'
import { MAXIMUM_INIT_CODE_BYTES, MAXIMUM_TRANSACTION_GAS } from '../config/consensus.ts'
import { GAS_PRICE_TOO_LOW, PoolRefusal } from './errors.ts'
import type { PoolHead, PoolLimits } from './interface.ts'

/** Most bytes of a transaction that the pool takes. */
const MAXIMUM_TRANSACTION_BYTES = 131_072
const MAXIMUM_NONCE_BYTES = 8

/** A transaction at the door of the pool. */
export interface Candidate {
  readonly transaction: Transaction
  readonly sender: Buffer
  readonly basicCost: bigint
}

/**
 * Judges a transaction by itself and by its sender's account: rules 3 to 16 of consensus.md §9.1, in that
 * order. What the pool already holds is judged apart.
 * @throws PoolRefusal with the reference's text
 */
export function assertAdmissible(candidate: Candidate, head: PoolHead, limits: PoolLimits): void {
  const { transaction, sender, basicCost } = candidate
  const { fields } = transaction
  const account = head.account(sender)
  const free = basicCost === 0n
  if (account === null && !free) throw new PoolRefusal('SENDER_MISSING', "the sender account doesn't exist")
  if (transaction.isCreation && head.isActive('rskip438') && fields.data.length > MAXIMUM_INIT_CODE_BYTES) {
    throw new PoolRefusal('INIT_CODE_SIZE', "transaction's init code size is invalid")
  }
  assertSize(transaction)
  if (transaction.isRemasc) throw new PoolRefusal('REMASC', 'transaction is a remasc transaction')
  assertGasLimit(transaction, head.transactionGasLimit)
  assertNonce(transaction, account?.nonce ?? 0n, limits.accountSlots)
  if (!free && (account?.balance ?? 0n) < transaction.gasLimit * transaction.gasPrice) {
    throw new PoolRefusal('INSUFFICIENT_FUNDS', 'insufficient funds')
  }
  if (transaction.gasPrice < head.minimumGasPrice) {
    throw new PoolRefusal('GAS_PRICE_TOO_LOW', GAS_PRICE_TOO_LOW)
  }
  if (basicCost > transaction.gasLimit) {
    throw new PoolRefusal('BASIC_COST', "transaction's basic cost is above the gas limit")
  }
  if (
    head.isActive('rskip252') &&
    exceedsGasPriceCap(transaction, head.minimumGasPrice, POOL_GAS_PRICE_CAP)
  ) {
    throw new PoolRefusal('GAS_PRICE_CAP', "transaction's gas price exceeds cap")
  }
}

function assertSize(transaction: Transaction): void {
  const size = transaction.encoded.length
  if (size <= MAXIMUM_TRANSACTION_BYTES) return
  throw new PoolRefusal(
    'SIZE',
    `transaction's size is higher than defined maximum: ${size} > ${MAXIMUM_TRANSACTION_BYTES}`,
  )
}

function assertGasLimit(transaction: Transaction, limit: bigint): void {
  const gas = transaction.gasLimit
  if (gas <= limit && gas <= MAXIMUM_TRANSACTION_GAS) return
  throw new PoolRefusal(
    'GAS_LIMIT',
    `transaction's gas limit of ${gas} is higher than the block's gas limit of ${limit}`,
  )
}

function assertNonce(transaction: Transaction, accountNonce: bigint, accountSlots: number): void {
  const { nonceBytes } = transaction.fields
  if (nonceBytes.length > MAXIMUM_NONCE_BYTES) {
    throw new PoolRefusal(
      'NONCE_LENGTH',
      `transaction nonce byte length exceeds maximum: ${nonceBytes.length} > ${MAXIMUM_NONCE_BYTES}`,
    )
  }
  if (nonceBytes.length > 1 && nonceBytes[0] === 0) {
    throw new PoolRefusal('NONCE_ENCODING', 'transaction nonce has non-canonical encoding')
  }
  if (transaction.nonce < accountNonce) throw new PoolRefusal('NONCE_TOO_LOW', 'transaction nonce too low')
  if (transaction.nonce >= accountNonce + BigInt(accountSlots)) {
    throw new PoolRefusal('NONCE_TOO_HIGH', 'transaction nonce too high')
  }
}
