import { PoolRefusal } from './errors.ts'
import type { PooledTransaction, PoolHead } from './interface.ts'

/** Share of the block gas limit that an account earns per second. */
const GAS_PER_SECOND_SHARE = 0.9
/** Most income that an account can accumulate, seconds. */
const SAVED_SECONDS = 2000
/** Most accounts in the table; the least recently used is evicted. */
const MAX_ACCOUNTS = 400_000
/** Charge as a multiple of the gas limit, used where the formula has no finite result. */
const INFINITE_FACTOR = 1900
/** Size in bytes that doubles the charge. */
const SIZE_UNIT = 25_000

/** State of the fee market that the charge depends on. */
export interface FeeMarket {
  /** True when recent blocks were full enough for prices to be meaningful. */
  readonly working: boolean
  /** Recent average gas price, wei. */
  readonly averageGasPrice: number
}

/** Other inputs of a charge. */
export interface Circumstances {
  /** The pending transaction that is replaced. */
  readonly replaced: PooledTransaction | null
  readonly head: PoolHead
  /** Nonce after the sender's pending transactions. */
  readonly pendingNonce: bigint
}

/** Remaining quota of an account. */
export interface QuotaBalance {
  /** Virtual gas. */
  readonly available: number
  /** Milliseconds since 1970. */
  readonly at: number
}

interface Account {
  available: number
  /** Milliseconds. */
  refreshedAt: number
}

/**
 * Virtual gas per account, which keeps one sender from filling the pool (consensus.md §9.2). Amounts are
 * floating-point as in the reference; they affect the pool only, never a block.
 */
export class TransactionQuota {
  readonly #accounts = new Map<string, Account>()
  readonly #now: () => number
  readonly #feeMarket: () => FeeMarket

  constructor(params: { now: () => number; feeMarket: () => FeeMarket }) {
    this.#now = params.now
    this.#feeMarket = params.feeMarket
  }

  /**
   * Charges the virtual gas of a transaction to its sender.
   * @throws PoolRefusal `QUOTA` when the sender does not have enough
   */
  charge(entry: PooledTransaction, circumstances: Circumstances): void {
    const { head } = circumstances
    const { income, initial, isFirst } = this.#terms(entry, circumstances)
    const account = this.#refreshed(entry.senderHex, initial, income)
    this.#trackReceiver(entry, head, income)
    const price = this.#virtualGas(entry, circumstances)
    if (account.available >= price) {
      account.available -= price
    } else if (isFirst) {
      account.available = 0
    } else {
      throw exceeded(account.available, price)
    }
  }

  #terms(entry: PooledTransaction, { head, pendingNonce }: Circumstances) {
    const income = Math.round(GAS_PER_SECOND_SHARE * Number(head.header.gasLimit))
    const isFirst =
      !this.#accounts.has(entry.senderHex) && pendingNonce === 0n && entry.transaction.nonce === 0n
    return { income, isFirst, initial: pendingNonce > 0n ? income * SAVED_SECONDS : income }
  }

  /**
   * Virtual gas of an account after its last charge, and the time of that charge; null when it was never
   * charged.
   */
  balanceOf(senderHex: string): QuotaBalance | null {
    const account = this.#accounts.get(senderHex)
    return account === undefined ? null : { available: account.available, at: account.refreshedAt }
  }

  #trackReceiver(entry: PooledTransaction, head: PoolHead, income: number): void {
    const { to } = entry.transaction.fields
    if (to.length === 0) return
    const key = to.toString('hex')
    const receiver = head.account(to, key)
    if (receiver === null || !receiver.isContract || this.#accounts.has(key)) {
      this.#refreshed(key, income, income)
    }
  }

  #refreshed(key: string, initial: number, income: number): Account {
    const now = this.#now()
    let account = this.#accounts.get(key)
    if (account === undefined) {
      account = { available: initial, refreshedAt: now }
      if (this.#accounts.size >= MAX_ACCOUNTS) this.#forgetOldest()
    } else {
      account.available = availableAt(account, now, income)
      account.refreshedAt = now
      this.#accounts.delete(key)
    }
    // A map keeps the order of insertion: the first key is the least recently used.
    this.#accounts.set(key, account)
    return account
  }

  #forgetOldest(): void {
    const oldest = this.#accounts.keys().next()
    if (!oldest.done) this.#accounts.delete(oldest.value)
  }

  #virtualGas(entry: PooledTransaction, { replaced, head, pendingNonce }: Circumstances): number {
    const { transaction } = entry
    const gas = Number(transaction.gasLimit)
    const price = Number(transaction.gasPrice)
    const future = transaction.nonce === pendingNonce ? 1 : 2
    const size = 1 + transaction.encoded.length / SIZE_UNIT
    const replacement = replaced === null ? 1 : 1 + Number(replaced.transaction.gasPrice) / price
    const share = 1 + (4 * gas) / Number(head.header.gasLimit)
    const newcomer = 1 + 4 / (Number(pendingNonce) + 1)
    const factor = future * this.#lowPriceFactor(price, head) * newcomer * size * replacement * share
    const total = gas * factor
    return Number.isFinite(total) ? total : gas * INFINITE_FACTOR
  }

  #lowPriceFactor(price: number, head: PoolHead): number {
    const { working, averageGasPrice } = this.#feeMarket()
    const minimum = Number(head.minimumGasPrice)
    if (!working || price >= averageGasPrice) return 1
    return 1 + (3 * (averageGasPrice - price)) / (averageGasPrice - minimum)
  }
}

function availableAt({ available, refreshedAt }: Account, now: number, income: number): number {
  return Math.min(income * SAVED_SECONDS, available + ((now - refreshedAt) / 1000) * income)
}

function exceeded(available: number, price: number): PoolRefusal {
  return new PoolRefusal('QUOTA', 'account exceeds quota', {
    available: BigInt(Math.floor(available)),
    required: BigInt(Math.ceil(price)),
  })
}
