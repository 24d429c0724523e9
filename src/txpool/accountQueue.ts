import type { PooledTransaction } from './interface.ts'

/** The transactions of one sender, at most one per nonce, by nonce. */
export class AccountQueue {
  readonly #byNonce = new Map<bigint, PooledTransaction>()

  get size(): number {
    return this.#byNonce.size
  }

  get(nonce: bigint): PooledTransaction | undefined {
    return this.#byNonce.get(nonce)
  }

  set(entry: PooledTransaction): void {
    this.#byNonce.set(entry.transaction.nonce, entry)
  }

  delete(nonce: bigint): void {
    this.#byNonce.delete(nonce)
  }

  values(): IterableIterator<PooledTransaction> {
    return this.#byNonce.values()
  }

  /** Largest nonce plus one, or null of an empty queue. */
  nextNonce(): bigint | null {
    let next: bigint | null = null
    for (const nonce of this.#byNonce.keys()) if (next === null || nonce >= next) next = nonce + 1n
    return next
  }
}
