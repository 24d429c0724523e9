import { impersonatedSender } from '../chain/codec/impersonated.ts'
import type { Transaction } from '../chain/codec/transaction.ts'
import { MAX_INIT_CODE_BYTES, MAX_TRANSACTION_GAS } from '../chain/consensus.ts'
import { exceedsGasPriceCap, POOL_GAS_PRICE_CAP } from '../chain/gasPriceCap.ts'
import { PoolRefusal } from './errors.ts'
import type { PoolHead, PoolLimits } from './interface.ts'

/** Largest transaction that the pool admits, bytes. */
const MAX_TRANSACTION_BYTES = 131_072
const MAX_NONCE_BYTES = 8
/** Accounts have signed words (consensus.md §6.5). */
const MAX_BALANCE_WEI = 2n ** 255n - 1n

/** A transaction to be admitted. */
export interface Candidate {
  readonly transaction: Transaction
  readonly sender: Buffer
  /** Sender as hex digits. */
  readonly senderHex: string
  readonly basicCost: bigint
}

/**
 * Checks a transaction by itself and against its sender's account: rules 3 to 16 of consensus.md §9.1, in
 * that order. Rules about the contents of the pool are checked elsewhere.
 * @throws PoolRefusal with the reference's text
 */
export function assertAdmissible(candidate: Candidate, head: PoolHead, limits: PoolLimits): void {
  const { transaction, sender, senderHex, basicCost } = candidate
  const { fields } = transaction
  const account = head.account(sender, senderHex)
  const free = basicCost === 0n
  if (account === null && !free && !isImpersonatedForNothing(candidate)) {
    throw new PoolRefusal('SENDER_MISSING', "the sender account doesn't exist")
  }
  if (transaction.isCreation && head.isActive('rskip438') && fields.data.length > MAX_INIT_CODE_BYTES) {
    throw new PoolRefusal('INIT_CODE_SIZE', "transaction's init code size is invalid", {
      size: BigInt(fields.data.length),
      limit: BigInt(MAX_INIT_CODE_BYTES),
    })
  }
  assertSize(transaction)
  if (transaction.isRemasc) throw new PoolRefusal('REMASC', 'transaction is a remasc transaction')
  assertGasLimit(transaction, head)
  assertNonce(transaction, account?.nonce ?? 0n, limits.accountSlots)
  const balance = account?.balance ?? 0n
  const gasFunds = transaction.gasLimit * transaction.gasPrice
  if (!free && balance < gasFunds) {
    throw new PoolRefusal('INSUFFICIENT_FUNDS', 'insufficient funds', { balance, required: gasFunds })
  }
  assertGasPrice(transaction, head)
  if (basicCost > transaction.gasLimit) {
    throw new PoolRefusal('BASIC_COST', "transaction's basic cost is above the gas limit", {
      gas: transaction.gasLimit,
      basicCost,
    })
  }
  if (
    head.isActive('rskip252') &&
    exceedsGasPriceCap(transaction, head.minimumGasPrice, POOL_GAS_PRICE_CAP)
  ) {
    throw new PoolRefusal('GAS_PRICE_CAP', "transaction's gas price exceeds cap", {
      gasPrice: transaction.gasPrice,
      cap: head.minimumGasPrice * POOL_GAS_PRICE_CAP,
    })
  }
}

/** True when nobody signed it, on a development chain, and it costs nothing: whoever it is of can pay it. */
function isImpersonatedForNothing({ transaction, sender }: Candidate): boolean {
  return transaction.gasPrice === 0n && impersonatedSender(transaction)?.equals(sender) === true
}

/**
 * Checks a transaction that waits for a nonce. Its value is looked at when it becomes pending; one that no account can ever
 * have is refused at once.
 * @throws PoolRefusal
 */
export function assertQueueable({ fields: { value } }: Transaction, balance: bigint): void {
  if (value <= MAX_BALANCE_WEI) return
  throw new PoolRefusal('INSUFFICIENT_FUNDS', 'insufficient funds', { balance, required: value })
}

function assertGasPrice({ gasPrice }: Transaction, { minimumGasPrice }: PoolHead): void {
  if (gasPrice >= minimumGasPrice) return
  throw new PoolRefusal('GAS_PRICE_TOO_LOW', "transaction's gas price lower than block's minimum", {
    gasPrice,
    minimumGasPrice,
  })
}

function assertSize(transaction: Transaction): void {
  const size = transaction.encoded.length
  if (size <= MAX_TRANSACTION_BYTES) return
  throw new PoolRefusal(
    'SIZE',
    `transaction's size is higher than defined maximum: ${size} > ${MAX_TRANSACTION_BYTES}`,
  )
}

function assertGasLimit(
  transaction: Transaction,
  { transactionGasLimit: limit, header: { gasLimit: blockGasLimit } }: PoolHead,
): void {
  // Zeros before a gas limit of more than eight bytes count in execution (consensus.md §5.1).
  const gas = transaction.executionGasLimit ?? transaction.gasLimit
  if (gas <= limit && gas <= MAX_TRANSACTION_GAS) return
  throw new PoolRefusal(
    'GAS_LIMIT',
    `transaction's gas limit of ${gas} is higher than the block's gas limit of ${limit}`,
    // The text, which is the reference's, calls a transaction's part of the block the block's.
    limit < blockGasLimit ? { gas, transactionGasLimit: limit, blockGasLimit } : {},
  )
}

function assertNonce(transaction: Transaction, accountNonce: bigint, accountSlots: number): void {
  const { nonceBytes } = transaction.fields
  if (nonceBytes.length > MAX_NONCE_BYTES) {
    throw new PoolRefusal(
      'NONCE_LENGTH',
      `transaction nonce byte length exceeds maximum: ${nonceBytes.length} > ${MAX_NONCE_BYTES}`,
    )
  }
  if (nonceBytes.length > 1 && nonceBytes[0] === 0) {
    throw new PoolRefusal('NONCE_ENCODING', 'transaction nonce has non-canonical encoding')
  }
  const { nonce } = transaction
  if (nonce < accountNonce) {
    throw new PoolRefusal('NONCE_TOO_LOW', 'transaction nonce too low', { nonce, accountNonce })
  }
  const highest = accountNonce + BigInt(accountSlots) - 1n
  if (nonce > highest) {
    throw new PoolRefusal('NONCE_TOO_HIGH', 'transaction nonce too high', { nonce, accountNonce, highest })
  }
}
