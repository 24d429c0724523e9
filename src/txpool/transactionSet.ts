import { AccountQueue } from './accountQueue.ts'
import type { PooledTransaction } from './interface.ts'

/** Transactions by hash and by sender and nonce. */
export class TransactionSet {
  readonly #byHash = new Map<string, PooledTransaction>()
  readonly #bySender = new Map<string, AccountQueue>()

  get size(): number {
    return this.#byHash.size
  }

  has(hashHex: string): boolean {
    return this.#byHash.has(hashHex)
  }

  get(hashHex: string): PooledTransaction | undefined {
    return this.#byHash.get(hashHex)
  }

  /** The sender's first transaction of that nonce. */
  at(senderHex: string, nonce: bigint): PooledTransaction | undefined {
    return this.#bySender.get(senderHex)?.get(nonce)
  }

  /** The sender's transactions in the order in which a block takes them; valid until the next change. */
  of(senderHex: string): readonly PooledTransaction[] {
    return this.#bySender.get(senderHex)?.inOrder() ?? []
  }

  /** Most that the sender's transactions can cost together, wei. */
  maximumCostOf(senderHex: string): bigint {
    return this.#bySender.get(senderHex)?.maximumCost ?? 0n
  }

  /** The transactions of each sender as {@link of} has them. */
  *bySender(): Generator<readonly PooledTransaction[]> {
    for (const own of this.#bySender.values()) yield own.inOrder()
  }

  /** The sender's largest nonce plus one; null when it has none. */
  nextNonce(senderHex: string): bigint | null {
    return this.#bySender.get(senderHex)?.nextNonce() ?? null
  }

  /** Adds a transaction, in addition to others of the same nonce. */
  add(entry: PooledTransaction): void {
    let own = this.#bySender.get(entry.senderHex)
    if (own === undefined) {
      own = new AccountQueue()
      this.#bySender.set(entry.senderHex, own)
    }
    own.add(entry)
    this.#byHash.set(entry.transaction.hashHex, entry)
  }

  /** Removes the transaction with that hash, if it is there. */
  remove(hashHex: string): PooledTransaction | undefined {
    const entry = this.#byHash.get(hashHex)
    if (entry === undefined) return undefined
    this.#byHash.delete(hashHex)
    const own = this.#bySender.get(entry.senderHex)
    own?.remove(entry)
    if (own?.isEmpty === true) this.#bySender.delete(entry.senderHex)
    return entry
  }

  /** In order of arrival. */
  values(): IterableIterator<PooledTransaction> {
    return this.#byHash.values()
  }
}
