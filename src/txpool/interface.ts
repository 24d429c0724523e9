import type { BlockHeader } from '../chain/codec/header.ts'
import type { SignedTransaction, Transaction } from '../chain/codec/transaction.ts'
import type { Rule } from '../config/rules.ts'
import type { RefusalStats } from './errors.ts'

/** A transaction and when it arrived. */
export interface ArrivedTransaction extends SignedTransaction {
  /** Height of the head. */
  readonly addedAtBlock: number
  /** Milliseconds since 1970. */
  readonly addedAt: number
}

/** A transaction of the pool with the properties computed on arrival. */
export interface PooledTransaction extends ArrivedTransaction {
  /** Sender as hex digits: the key of in-memory maps. */
  readonly senderHex: string
  /** Intrinsic gas; 0 for a free transaction to the Bridge. */
  readonly basicCost: bigint
  /** Most that it can cost its sender, wei; a free one costs only its value. */
  readonly maximumCost: bigint
}

/** State of an account at the head. */
export interface PoolAccount {
  readonly nonce: bigint
  /** Wei. */
  readonly balance: bigint
  readonly isContract: boolean
}

/** The chain state that the pool reads, all at one head. */
export interface PoolHead {
  readonly header: BlockHeader
  /** Least price of a transaction of the next block, wei. */
  readonly minimumGasPrice: bigint
  /** Most gas that a transaction of the next block may ask for (consensus.md §9.1 rule 8). */
  readonly transactionGasLimit: bigint
  /** True when the rule is active at the height of the next block. */
  isActive(rule: Rule): boolean
  /**
   * null when there is no account.
   * @param hex the address as hex digits, where the caller has them
   */
  account(address: Buffer, hex?: string): PoolAccount | null
  /** Intrinsic gas of a transaction under the rules of the next block (consensus.md §5.4). */
  basicCost(transaction: Transaction, sender: Buffer): bigint
}

/** Limits of a block that is going to be made. */
export interface BlockLimits {
  readonly gasLimit: bigint
  /** Wei. */
  readonly minimumGasPrice: bigint
}

/** Limits of the pool. */
export interface PoolLimits {
  /** Most nonces that may be ahead of the account's. */
  readonly accountSlots: number
  /** Percentage by which a replacement must raise the gas price. */
  readonly gasPriceBump: number
  /** Blocks after which a transaction is dropped. */
  readonly outdatedBlocks: number
  /** Milliseconds after which a transaction is dropped. */
  readonly outdatedMilliseconds: number
}

/** The change of the canonical chain that the pool reads. */
export interface PoolHeadChange {
  readonly head: PoolHead
  /** Transactions of blocks that left the canonical chain, oldest first; reward transactions are left out. */
  readonly retracted: readonly SignedTransaction[]
  /** Transactions of blocks that joined it; reward transactions are left out. */
  readonly enacted: readonly SignedTransaction[]
  /** True when blocks left with their transactions, so that the nonce of any account may be a lower one. */
  readonly isRewound?: boolean
}

/** Changes of the pool. */
export interface PoolChange {
  /** Transactions that became pending, in order: executable on the head. */
  readonly pending: readonly PooledTransaction[]
  /** Transactions that were dropped: replaced, mined, outdated or no longer valid. */
  readonly removed: readonly PooledTransaction[]
}

/** The outcome of a transaction that was sent. */
export type SendOutcome =
  | { readonly status: 'accepted'; readonly hash: Buffer }
  /** The pool's reason (rpc.md §4.2), and what it compared. */
  | { readonly status: 'refused'; readonly reason: string; readonly stats: RefusalStats }
