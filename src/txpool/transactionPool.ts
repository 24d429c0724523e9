import type { Transaction } from '../chain/codec/transaction.ts'
import { assertAdmissible, assertQueueable } from './admissionRules.ts'
import { PoolRefusal } from './errors.ts'
import type {
  ArrivedTransaction,
  PoolChange,
  PooledTransaction,
  PoolHead,
  PoolHeadChange,
  PoolLimits,
} from './interface.ts'
import { inBlockOrder } from './ordering.ts'
import type { TransactionQuota } from './quota.ts'
import { TransactionSet } from './transactionSet.ts'

/** Parts of a pool. */
export interface TransactionPoolParams {
  readonly limits: PoolLimits
  readonly head: PoolHead
  /** Virtual gas per account (consensus.md §9.2); null switches the limit off. */
  readonly quota: TransactionQuota | null
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Collects the changes of one call. */
interface Changes {
  readonly pending: PooledTransaction[]
  readonly removed: PooledTransaction[]
  /** True when senders are charged; transactions that were admitted before are not charged again. */
  readonly charged: boolean
}

function createChanges({ charged }: { charged: boolean }): Changes {
  return { pending: [], removed: [], charged }
}

/**
 * Transactions that wait for a block (consensus.md §9.1). Pending ones continue the account's nonce without a
 * gap, queued ones wait for a predecessor. Belongs to the chain thread.
 */
export class TransactionPool {
  readonly #limits: PoolLimits
  readonly #quota: TransactionQuota | null
  readonly #now: () => number
  readonly #pending = new TransactionSet()
  readonly #queued = new TransactionSet()
  #head: PoolHead
  #version = 0

  constructor(params: TransactionPoolParams) {
    this.#limits = params.limits
    this.#quota = params.quota
    this.#now = params.now
    this.#head = params.head
  }

  /** Grows with every change of the pending set. */
  get version(): number {
    return this.#version
  }

  get pendingCount(): number {
    return this.#pending.size
  }

  get queuedCount(): number {
    return this.#queued.size
  }

  /** Pending transactions in order of arrival. */
  pending(): IterableIterator<PooledTransaction> {
    return this.#pending.values()
  }

  /** Queued transactions in order of arrival. */
  queued(): IterableIterator<PooledTransaction> {
    return this.#queued.values()
  }

  /** A pending transaction. */
  pendingByHash(hashHex: string): PooledTransaction | undefined {
    return this.#pending.get(hashHex)
  }

  /** A pending or queued transaction. */
  get(hashHex: string): PooledTransaction | undefined {
    return this.#pending.get(hashHex) ?? this.#queued.get(hashHex)
  }

  /** Pending transactions in block order; consume it before the pool changes. */
  inBlockOrder(): Iterable<PooledTransaction> {
    return inBlockOrder(this.#pending.bySender())
  }

  /** Nonce after the sender's pending transactions; null when it has none. */
  nonceAfterPending(sender: Buffer): bigint | null {
    return this.#pending.nextNonce(sender.toString('hex'))
  }

  /** Nonce that the sender's next transaction should have. */
  nextNonce(sender: Buffer, senderHex = sender.toString('hex')): bigint {
    const accountNonce = this.#head.account(sender, senderHex)?.nonce ?? 0n
    const afterPending = this.#pending.nextNonce(senderHex)
    return afterPending !== null && afterPending > accountNonce ? afterPending : accountNonce
  }

  /**
   * Adds a transaction whose signature and chain id were verified, and promotes the queued ones that it makes
   * executable.
   * @throws PoolRefusal with the reference's text
   */
  add(transaction: Transaction, sender: Buffer): PoolChange {
    const changes = createChanges({ charged: true })
    this.#add(this.#entry(this.#arrived(transaction, sender)), changes)
    return changes
  }

  /**
   * Restores what was in the pool when the node stopped, with its times.
   * @returns transactions that the head no longer admits and outdated ones, which are not restored
   */
  restore(entries: readonly ArrivedTransaction[]): Transaction[] {
    const changes = createChanges({ charged: false })
    for (const entry of entries) this.#tryAdd(this.#entry(entry), changes)
    this.removeOutdated()
    return entries
      .filter(({ transaction }) => this.get(transaction.hashHex) === undefined)
      .map(({ transaction }) => transaction)
  }

  /** Updates the pool to a new head. */
  onHead({ head, retracted, enacted, isRewound = false }: PoolHeadChange): PoolChange {
    this.#head = head
    const changes = createChanges({ charged: false })
    for (const { transaction } of enacted) this.#drop(transaction.hashHex, changes)
    // Only senders of transactions in these blocks can have a new nonce, unless blocks left that nobody names.
    const waiting = isRewound ? [...this.#pending.values(), ...this.#queued.values()] : []
    const senders = new Map(
      [...enacted, ...retracted, ...waiting].map(({ sender }) => [sender.toString('hex'), sender]),
    )
    for (const [senderHex, sender] of senders) this.#dropUsedNonces(senderHex, sender, changes)
    for (const { transaction, sender } of retracted) {
      if (this.get(transaction.hashHex) !== undefined) continue
      this.#tryAdd(this.#entry(this.#arrived(transaction, sender)), changes)
    }
    for (const [senderHex, sender] of senders) {
      this.#requeueAfterGap(senderHex, sender)
      this.#promote(senderHex, sender, changes)
    }
    this.#dropOutdated(changes)
    return {
      pending: changes.pending.filter((entry) => this.#pending.has(entry.transaction.hashHex)),
      removed: changes.removed.filter((entry) => this.get(entry.transaction.hashHex) === undefined),
    }
  }

  /** Drops outdated transactions. Every new head does so; without new heads call it now and then. */
  removeOutdated(): PooledTransaction[] {
    const changes = createChanges({ charged: false })
    this.#dropOutdated(changes)
    return changes.removed
  }

  /** Drops all transactions. */
  clear(): PooledTransaction[] {
    const changes = createChanges({ charged: false })
    for (const { transaction } of [...this.#pending.values(), ...this.#queued.values()]) {
      this.#drop(transaction.hashHex, changes)
    }
    return changes.removed
  }

  /** Removes a transaction that no block on the head can contain. */
  evict(hashHex: string): PooledTransaction[] {
    const changes = createChanges({ charged: false })
    const entry = this.#drop(hashHex, changes)
    if (entry !== undefined) this.#requeueAfterGap(entry.senderHex, entry.sender)
    return changes.removed
  }

  #arrived(transaction: Transaction, sender: Buffer): ArrivedTransaction {
    return { transaction, sender, addedAtBlock: this.#head.header.number, addedAt: this.#now() }
  }

  #entry(given: ArrivedTransaction): PooledTransaction {
    const { transaction, sender, addedAtBlock, addedAt } = given
    const basicCost = this.#head.basicCost(transaction, sender)
    const gasCost = basicCost === 0n ? 0n : transaction.gasLimit * transaction.gasPrice
    return {
      transaction,
      sender,
      senderHex: sender.toString('hex'),
      basicCost,
      maximumCost: transaction.fields.value + gasCost,
      addedAtBlock,
      addedAt,
    }
  }

  #tryAdd(entry: PooledTransaction, changes: Changes): void {
    try {
      this.#add(entry, changes)
    } catch (refusal) {
      if (!(refusal instanceof PoolRefusal)) throw refusal
    }
  }

  /** Rules 1 to 21 in order. */
  #add(entry: PooledTransaction, changes: Changes): void {
    this.#assertUnknown(entry.transaction)
    if (this.#insert(entry, changes) === 'pending') this.#promote(entry.senderHex, entry.sender, changes)
  }

  /** Rules 1 and 2. */
  #assertUnknown({ hashHex }: Transaction): void {
    if (this.#pending.has(hashHex)) {
      throw new PoolRefusal('KNOWN_PENDING', 'pending transaction with same hash already exists')
    }
    if (this.#queued.has(hashHex)) {
      throw new PoolRefusal('KNOWN_QUEUED', 'queued transaction with same hash already exists')
    }
  }

  /** Rules 3 to 20: adds the transaction to its set. */
  #insert(entry: PooledTransaction, changes: Changes): 'pending' | 'queued' {
    const { transaction } = entry
    const { replaced, nextNonce } = this.#place(entry)
    if (transaction.nonce > nextNonce) {
      this.#assertQueueable(entry)
      this.#queued.add(entry)
      return 'queued'
    }
    if (changes.charged) {
      this.#quota?.charge(entry, { replaced: replaced ?? null, head: this.#head, pendingNonce: nextNonce })
    }
    this.#assertPendingFunds(entry, replaced)
    if (replaced !== undefined) this.#drop(replaced.transaction.hashHex, changes)
    this.#pending.add(entry)
    this.#version += 1
    changes.pending.push(entry)
    return 'pending'
  }

  /** Rules 3 to 17. @returns the pending transaction that it would replace, and the nonce that the sender's next has */
  #place(entry: PooledTransaction): { replaced: PooledTransaction | undefined; nextNonce: bigint } {
    assertAdmissible(entry, this.#head, this.#limits)
    const { transaction, senderHex, sender } = entry
    const replaced = this.#pending.at(senderHex, transaction.nonce)
    if (replaced !== undefined) this.#assertBump(transaction, replaced.transaction)
    return { replaced, nextNonce: this.nextNonce(sender, senderHex) }
  }

  #assertQueueable({ transaction, sender, senderHex }: PooledTransaction): void {
    assertQueueable(transaction, this.#head.account(sender, senderHex)?.balance ?? 0n)
  }

  /** Rule 17: a replacement must raise the price by the required percentage. */
  #assertBump(transaction: Transaction, old: Transaction): void {
    const least = (old.gasPrice * BigInt(100 + this.#limits.gasPriceBump)) / 100n
    if (transaction.gasPrice > old.gasPrice && transaction.gasPrice >= least) return
    throw new PoolRefusal('BUMP', 'gas price not enough to bump transaction', {
      gasPrice: transaction.gasPrice,
      required: least > old.gasPrice ? least : old.gasPrice + 1n,
    })
  }

  /** Rule 20: the sender must be able to pay for all of its pending transactions. */
  #assertPendingFunds(entry: PooledTransaction, replaced: PooledTransaction | undefined): void {
    const { sender, senderHex, maximumCost } = entry
    const needed = maximumCost + this.#pending.maximumCostOf(senderHex) - (replaced?.maximumCost ?? 0n)
    const balance = this.#head.account(sender, senderHex)?.balance ?? 0n
    if (needed > balance) {
      throw new PoolRefusal('PENDING_FUNDS', 'insufficient funds to pay for pending and new transactions', {
        balance,
        required: needed,
      })
    }
  }

  /**
   * Rule 21: promotes the sender's queued transactions that now continue without a gap. A rejected one is
   * dropped.
   */
  #promote(senderHex: string, sender: Buffer, changes: Changes): void {
    for (;;) {
      const next =
        this.#queued.size === 0 ? undefined : this.#queued.at(senderHex, this.nextNonce(sender, senderHex))
      if (next === undefined) return
      this.#queued.remove(next.transaction.hashHex)
      try {
        this.#insert(next, changes)
      } catch (refusal) {
        if (!(refusal instanceof PoolRefusal)) throw refusal
        changes.removed.push(next)
        return
      }
    }
  }

  /** Drops transactions that the head made impossible: their nonce is used, by whichever transaction. */
  #dropUsedNonces(senderHex: string, sender: Buffer, changes: Changes): void {
    const nonce = this.#head.account(sender, senderHex)?.nonce ?? 0n
    for (const { transaction } of [...this.#pending.of(senderHex), ...this.#queued.of(senderHex)]) {
      if (transaction.nonce < nonce) this.#drop(transaction.hashHex, changes)
    }
  }

  /** Demotes pending transactions whose predecessor is gone to the queued set. */
  #requeueAfterGap(senderHex: string, sender: Buffer): void {
    let expected = this.#head.account(sender, senderHex)?.nonce ?? 0n
    for (const entry of [...this.#pending.of(senderHex)]) {
      if (entry.transaction.nonce === expected) {
        expected += 1n
        continue
      }
      this.#pending.remove(entry.transaction.hashHex)
      this.#version += 1
      this.#queued.add(entry)
    }
  }

  #dropOutdated(changes: Changes): void {
    const oldestBlock = this.#head.header.number - this.#limits.outdatedBlocks
    const oldest = this.#now() - this.#limits.outdatedMilliseconds
    const outdated = [...this.#pending.values(), ...this.#queued.values()].filter(
      ({ addedAtBlock, addedAt }) => addedAtBlock < oldestBlock || addedAt <= oldest,
    )
    for (const { transaction } of outdated) this.#drop(transaction.hashHex, changes)
    for (const { senderHex, sender } of outdated) this.#requeueAfterGap(senderHex, sender)
  }

  #drop(hashHex: string, changes: Changes): PooledTransaction | undefined {
    const pending = this.#pending.remove(hashHex)
    if (pending !== undefined) this.#version += 1
    const entry = pending ?? this.#queued.remove(hashHex)
    if (entry !== undefined) changes.removed.push(entry)
    return entry
  }
}
