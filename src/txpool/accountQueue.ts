import type { PooledTransaction } from './interface.ts'

/** The transactions of one sender by nonce; those of the same nonce in order of arrival. */
export class AccountQueue {
  readonly #byNonce = new Map<bigint, PooledTransaction[]>()

  get isEmpty(): boolean {
    return this.#byNonce.size === 0
  }

  /** The first transaction with that nonce. */
  get(nonce: bigint): PooledTransaction | undefined {
    return this.#byNonce.get(nonce)?.[0]
  }

  add(entry: PooledTransaction): void {
    const { nonce } = entry.transaction
    const others = this.#byNonce.get(nonce)
    if (others === undefined) this.#byNonce.set(nonce, [entry])
    else others.push(entry)
  }

  remove(entry: PooledTransaction): void {
    const { nonce } = entry.transaction
    const rest = this.#byNonce.get(nonce)?.filter((other) => other !== entry) ?? []
    if (rest.length === 0) this.#byNonce.delete(nonce)
    else this.#byNonce.set(nonce, rest)
  }

  *values(): Generator<PooledTransaction> {
    for (const entries of this.#byNonce.values()) yield* entries
  }

  /** Largest nonce plus one; null for an empty queue. */
  nextNonce(): bigint | null {
    let next: bigint | null = null
    for (const nonce of this.#byNonce.keys()) if (next === null || nonce >= next) next = nonce + 1n
    return next
  }
}
