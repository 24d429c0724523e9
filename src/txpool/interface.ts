import type { BlockHeader } from '../chain/codec/header.ts'
import type { Transaction } from '../chain/codec/transaction.ts'
import type { Rule } from '../config/rules.ts'

/** A transaction and who signed it. */
export interface SignedTransaction {
  readonly transaction: Transaction
  /** 20 bytes. */
  readonly sender: Buffer
}

/** When a transaction came. */
export interface Arrival {
  /** Height of the head. */
  readonly addedAtBlock: number
  /** Milliseconds since 1970. */
  readonly addedAt: number
}

/** A transaction of the pool with what was found out about it when it came. */
export interface PooledTransaction extends SignedTransaction, Arrival {
  /** Sender as hex digits: the key of in-memory maps. */
  readonly senderHex: string
  /** Intrinsic gas; 0 for a free transaction to the Bridge. */
  readonly basicCost: bigint
  /** The most that it can take from its sender, wei; a free one takes its value only. */
  readonly maximumCost: bigint
}

/** State of an account at the head. */
export interface PoolAccount {
  readonly nonce: bigint
  /** Wei. */
  readonly balance: bigint
  readonly isContract: boolean
}

/** What the pool reads of the chain: all of it at one head. */
export interface PoolHead {
  readonly header: BlockHeader
  /** Wei. */
  readonly minimumGasPrice: bigint
  /** Most gas that a transaction may ask for at this head (consensus.md §9.1 rule 8). */
  readonly transactionGasLimit: bigint
  /** Whether the rule is active at the height of the head. */
  isActive(rule: Rule): boolean
  /** null when there is no account. */
  account(address: Buffer): PoolAccount | null
  /** Intrinsic gas of a transaction under the rules of the head (consensus.md §5.4). */
  basicCost(transaction: Transaction, sender: Buffer): bigint
}

/** Limits of the pool. */
export interface PoolLimits {
  /** How far a nonce may run ahead of the account. */
  readonly accountSlots: number
  /** Percentage by which a replacement must raise the gas price. */
  readonly gasPriceBump: number
  /** Blocks after which a transaction leaves. */
  readonly outdatedBlocks: number
  /** Milliseconds after which a transaction leaves. */
  readonly outdatedMilliseconds: number
}

/** Blocks that a new head brought and those it displaced, as far as the pool reads them. */
export interface PoolHeadChange {
  readonly head: PoolHead
  /** Transactions of blocks that left the canonical chain, oldest first; reward transactions are left out. */
  readonly retracted: readonly SignedTransaction[]
  /** Transactions of blocks that joined it; reward transactions are left out. */
  readonly enacted: readonly SignedTransaction[]
}

/** What happened to the pool. */
export interface PoolChange {
  /** Entered the pending set, in order: executable on top of the head. */
  readonly pending: readonly PooledTransaction[]
  /** Left the pool: replaced, included, outdated or no longer valid. */
  readonly removed: readonly PooledTransaction[]
}
