import type { Transaction } from '../chain/codec/transaction.ts'
import { assertAdmissible } from './admission.ts'
import { PoolRefusal } from './errors.ts'
import type { PoolChange, PooledTransaction, PoolHead, PoolLimits } from './interface.ts'
import { inBlockOrder } from './ordering.ts'
import type { TransactionQuota } from './quota.ts'
import { TransactionSet } from './transactionSet.ts'

/** What a pool is made of. */
export interface TransactionPoolParams {
  readonly limits: PoolLimits
  readonly head: PoolHead
  /** Virtual gas per account (consensus.md §9.2); null switches the limit off. */
  readonly quota: TransactionQuota | null
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Blocks that a new head brought and those it displaced, as far as the pool reads them. */
export interface PoolHeadChange {
  readonly head: PoolHead
  /** Transactions of blocks that left the canonical chain, with their senders. */
  readonly retracted: readonly { transaction: Transaction; sender: Buffer }[]
  /** Transactions of blocks that joined it. */
  readonly enacted: readonly Transaction[]
}

/**
 * Transactions that wait for a block (consensus.md §9.1). Pending ones follow on the account's nonce
 * without a gap, queued ones wait for a predecessor. Belongs to the chain thread.
 */
export class TransactionPool {
  readonly #limits: PoolLimits
  readonly #quota: TransactionQuota | null
  readonly #now: () => number
  readonly #pending = new TransactionSet()
  readonly #queued = new TransactionSet()
  #head: PoolHead

  constructor(params: TransactionPoolParams) {
    this.#limits = params.limits
    this.#quota = params.quota
    this.#now = params.now
    this.#head = params.head
  }

  get pendingCount(): number {
    return this.#pending.size
  }

  get queuedCount(): number {
    return this.#queued.size
  }

  /** Pending transactions in the order in which they came. */
  pending(): IterableIterator<PooledTransaction> {
    return this.#pending.values()
  }

  /** Queued transactions in the order in which they came. */
  queued(): IterableIterator<PooledTransaction> {
    return this.#queued.values()
  }

  /** A pending or queued transaction. */
  get(hashHex: string): PooledTransaction | undefined {
    return this.#pending.get(hashHex) ?? this.#queued.get(hashHex)
  }

  /** Pending transactions in the order in which a block takes them. */
  inBlockOrder(): PooledTransaction[] {
    return inBlockOrder(this.#pending.values())
  }

  /** Nonce that the sender's next transaction should have. */
  nextNonce(sender: Buffer): bigint {
    const accountNonce = this.#head.account(sender)?.nonce ?? 0n
    const afterPending = this.#pending.nextNonce(sender.toString('hex'))
    return afterPending !== null && afterPending > accountNonce ? afterPending : accountNonce
  }

  /**
   * Takes a transaction whose signature and chain id were accepted, and the queued ones that it makes
   * executable.
   * @throws PoolRefusal with the reference's text
   */
  add(transaction: Transaction, sender: Buffer): PoolChange {
    return this.#add(this.#entry(transaction, sender, this.#head.header.number, this.#now()))
  }

  /**
   * Puts back what was in the pool when the node stopped, with its times. What the head no longer admits is
   * left out and returned.
   */
  restore(
    entries: readonly { transaction: Transaction; sender: Buffer; addedAtBlock: number; addedAt: number }[],
  ) {
    const dropped: Transaction[] = []
    for (const { transaction, sender, addedAtBlock, addedAt } of entries) {
      if (!this.#tryAdd(this.#entry(transaction, sender, addedAtBlock, addedAt))) dropped.push(transaction)
    }
    return dropped
  }

  /** Follows the chain to a new head. */
  onHead(change: PoolHeadChange): PoolChange {
    this.#head = change.head
    const removed: PooledTransaction[] = []
    const wasPending = new Set([...this.#pending.values()].map((entry) => entry.transaction.hashHex))
    for (const transaction of change.enacted) this.#drop(transaction.hashHex, removed)
    this.#dropStale(removed)
    this.#requeueAfterGaps()
    for (const { transaction, sender } of change.retracted) {
      if (transaction.isRemasc || this.get(transaction.hashHex) !== undefined) continue
      this.#tryAdd(this.#entry(transaction, sender, change.head.header.number, this.#now()))
    }
    this.#promoteAll()
    const pending = [...this.#pending.values()].filter((entry) => !wasPending.has(entry.transaction.hashHex))
    return { pending, removed: removed.filter((entry) => this.get(entry.transaction.hashHex) === undefined) }
  }

  /** Lets go of transactions that waited too long; to be called now and then. */
  removeOutdated(): PooledTransaction[] {
    const removed: PooledTransaction[] = []
    const oldestBlock = this.#head.header.number - this.#limits.outdatedBlocks
    const oldest = this.#now() - this.#limits.outdatedMilliseconds
    for (const entry of [...this.#pending.values(), ...this.#queued.values()]) {
      if (entry.addedAtBlock < oldestBlock || entry.addedAt < oldest) {
        this.#drop(entry.transaction.hashHex, removed)
      }
    }
    this.#requeueAfterGaps()
    return removed
  }

  /** Removes a transaction that a block builder found unfit. */
  evict(hashHex: string): void {
    this.#drop(hashHex, [])
  }

  #entry(transaction: Transaction, sender: Buffer, addedAtBlock: number, addedAt: number): PooledTransaction {
    const basicCost = this.#head.basicCost(transaction, sender)
    return { transaction, sender, senderHex: sender.toString('hex'), basicCost, addedAtBlock, addedAt }
  }

  #tryAdd(entry: PooledTransaction): boolean {
    try {
      this.#add(entry)
      return true
    } catch (refusal) {
      if (refusal instanceof PoolRefusal) return false
      throw refusal
    }
  }

  #add(entry: PooledTransaction): PoolChange {
    const { transaction, senderHex } = entry
    if (this.#pending.has(transaction.hashHex)) {
      throw new PoolRefusal('KNOWN_PENDING', 'pending transaction with same hash already exists')
    }
    if (this.#queued.has(transaction.hashHex)) {
      throw new PoolRefusal('KNOWN_QUEUED', 'queued transaction with same hash already exists')
    }
    assertAdmissible(entry, this.#head, this.#limits)
    this.#assertBump(entry)
    if (transaction.nonce > this.nextNonce(entry.sender)) {
      const replaced = this.#queued.add(entry)
      return { pending: [], removed: replaced === undefined ? [] : [replaced] }
    }
    const replaced = this.#pending.at(senderHex, transaction.nonce)
    this.#quota?.charge(entry, replaced ?? null, this.#head, this.nextNonce(entry.sender))
    this.#assertPendingFunds(entry, replaced)
    this.#pending.add(entry)
    const pending = [entry, ...this.#promote(entry.sender, senderHex)]
    return { pending, removed: replaced === undefined ? [] : [replaced] }
  }

  /** Rule 17: a replacement must pay noticeably more. Queued transactions are held to it too. */
  #assertBump(entry: PooledTransaction): void {
    const { transaction } = entry
    const held = this.#pending.at(entry.senderHex, transaction.nonce)
    const old = (held ?? this.#queued.at(entry.senderHex, transaction.nonce))?.transaction
    if (old === undefined) return
    const factor = BigInt(100 + this.#limits.gasPriceBump)
    const enough = transaction.gasPrice > old.gasPrice && transaction.gasPrice * 100n >= old.gasPrice * factor
    if (!enough) throw new PoolRefusal('BUMP', 'gas price not enough to bump transaction')
  }

  /** Rule 20: the sender must be able to pay for all that it has pending. */
  #assertPendingFunds(entry: PooledTransaction, replaced: PooledTransaction | undefined): void {
    let needed = maximumCost(entry)
    for (const other of this.#pending.of(entry.senderHex))
      if (other !== replaced) needed += maximumCost(other)
    if (needed > (this.#head.account(entry.sender)?.balance ?? 0n)) {
      throw new PoolRefusal('PENDING_FUNDS', 'insufficient funds to pay for pending and new transactions')
    }
  }

  /** Moves the sender's queued transactions that now follow without a gap. */
  #promote(sender: Buffer, senderHex: string): PooledTransaction[] {
    const promoted: PooledTransaction[] = []
    for (;;) {
      const next = this.#queued.at(senderHex, this.nextNonce(sender))
      if (next === undefined) return promoted
      this.#queued.remove(next.transaction.hashHex)
      try {
        this.#assertPendingFunds(next, undefined)
      } catch (refusal) {
        if (refusal instanceof PoolRefusal) return promoted
        throw refusal
      }
      this.#pending.add(next)
      promoted.push(next)
    }
  }

  #promoteAll(): void {
    const senders = new Map([...this.#queued.values()].map((entry) => [entry.senderHex, entry.sender]))
    for (const [senderHex, sender] of senders) this.#promote(sender, senderHex)
  }

  /** Takes out what the head has made impossible: a nonce that is used up, whoever used it. */
  #dropStale(removed: PooledTransaction[]): void {
    for (const entry of [...this.#pending.values(), ...this.#queued.values()]) {
      const nonce = this.#head.account(entry.sender)?.nonce ?? 0n
      if (entry.transaction.nonce < nonce) this.#drop(entry.transaction.hashHex, removed)
    }
  }

  /** A pending transaction whose predecessor is gone waits in the queue again. */
  #requeueAfterGaps(): void {
    const senders = new Map([...this.#pending.values()].map((entry) => [entry.senderHex, entry.sender]))
    for (const [senderHex, sender] of senders) {
      const entries = [...this.#pending.of(senderHex)].sort((a, b) =>
        a.transaction.nonce < b.transaction.nonce ? -1 : 1,
      )
      let expected = this.#head.account(sender)?.nonce ?? 0n
      for (const entry of entries) {
        if (entry.transaction.nonce === expected) {
          expected += 1n
          continue
        }
        this.#pending.remove(entry.transaction.hashHex)
        this.#queued.add(entry)
      }
    }
  }

  #drop(hashHex: string, removed: PooledTransaction[]): void {
    const entry = this.#pending.remove(hashHex) ?? this.#queued.remove(hashHex)
    if (entry !== undefined) removed.push(entry)
  }
}

/** The most a transaction can take from its sender, wei; a free one takes its value only. */
function maximumCost(entry: PooledTransaction): bigint {
  const { transaction, basicCost } = entry
  const gasCost = basicCost === 0n ? 0n : transaction.gasLimit * transaction.gasPrice
  return transaction.fields.value + gasCost
}
