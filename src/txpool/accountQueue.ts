import type { PooledTransaction } from './interface.ts'
import { compareWithinSender } from './ordering.ts'

/**
 * The transactions of one sender by nonce; those of the same nonce in order of arrival. What is asked for at every send
 * (the next nonce, what all may cost) and for every block (the order) is kept, so that nobody walks over all of them.
 */
export class AccountQueue {
  readonly #byNonce = new Map<bigint, PooledTransaction[]>()
  /** By nonce, then in the order of blocks, once {@link #isSorted}. */
  readonly #all: PooledTransaction[] = []
  #isSorted = true
  #cost = 0n

  get isEmpty(): boolean {
    return this.#all.length === 0
  }

  /** Most that all of them can cost, wei. */
  get maximumCost(): bigint {
    return this.#cost
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
    const last = this.#all.at(-1)
    if (last !== undefined && nonce <= last.transaction.nonce) this.#isSorted = false
    this.#all.push(entry)
    this.#cost += entry.maximumCost
  }

  remove(entry: PooledTransaction): void {
    const index = this.#all.indexOf(entry)
    if (index === -1) return
    this.#all.splice(index, 1)
    this.#cost -= entry.maximumCost
    const { nonce } = entry.transaction
    const rest = this.#byNonce.get(nonce)?.filter((other) => other !== entry) ?? []
    if (rest.length === 0) this.#byNonce.delete(nonce)
    else this.#byNonce.set(nonce, rest)
  }

  /** All of them in the order in which a block takes them; valid until the next change. */
  inOrder(): readonly PooledTransaction[] {
    if (!this.#isSorted) this.#all.sort(compareWithinSender)
    this.#isSorted = true
    return this.#all
  }

  /** Largest nonce plus one; null for an empty queue. */
  nextNonce(): bigint | null {
    const last = this.inOrder().at(-1)
    return last === undefined ? null : last.transaction.nonce + 1n
  }
}
