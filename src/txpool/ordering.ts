import type { PooledTransaction } from './interface.ts'

/**
 * The order in which a block takes transactions (consensus.md §9.4 step 3): each sender's by nonce, then
 * price, then hash; among the senders always the one whose next transaction has the highest price. The order
 * is computed lazily, because a pool holds more than a block.
 * @param senders the transactions of each, in the order of {@link compareWithinSender}
 */
export function* inBlockOrder(senders: Iterable<readonly PooledTransaction[]>): Generator<PooledTransaction> {
  const heap = new SenderHeap([...senders].filter((list) => list.length > 0))
  for (let entry = heap.take(); entry !== undefined; entry = heap.take()) yield entry
}

/** Negative when a block takes the first of two transactions of a sender before the second. */
export function compareWithinSender(a: PooledTransaction, b: PooledTransaction): number {
  const [left, right] = [a.transaction, b.transaction]
  if (left.nonce !== right.nonce) return left.nonce < right.nonce ? -1 : 1
  return compareByPrice(a, b)
}

function compareByPrice(a: PooledTransaction, b: PooledTransaction): number {
  const [left, right] = [a.transaction, b.transaction]
  if (left.gasPrice !== right.gasPrice) return left.gasPrice > right.gasPrice ? -1 : 1
  // Hex digits have the order of the bytes, and are compared without a call out of JavaScript.
  const [one, other] = [left.hashHex, right.hashHex]
  return one === other ? 0 : one < other ? -1 : 1
}

/** A sender's transactions, and the next of them. */
interface Sender {
  readonly list: readonly PooledTransaction[]
  at: number
  next: PooledTransaction
}

/** Binary heap of senders by the price of their next transaction. */
class SenderHeap {
  readonly #senders: Sender[]

  /** @param lists none of them empty */
  constructor(lists: readonly (readonly PooledTransaction[])[]) {
    this.#senders = lists.flatMap((list) => (list[0] === undefined ? [] : [{ list, at: 0, next: list[0] }]))
    for (let index = (this.#senders.length >> 1) - 1; index >= 0; index--) this.#sink(index)
  }

  take(): PooledTransaction | undefined {
    const first = this.#senders[0]
    if (first === undefined) return undefined
    const taken = first.next
    first.at += 1
    const next = first.list[first.at]
    if (next === undefined) {
      const last = this.#senders.pop()
      if (last !== undefined && last !== first) this.#senders[0] = last
    } else {
      first.next = next
    }
    this.#sink(0)
    return taken
  }

  #sink(start: number): void {
    const senders = this.#senders
    const moved = senders[start]
    if (moved === undefined) return
    let index = start
    for (;;) {
      let best = 2 * index + 1
      let child = senders[best]
      if (child === undefined) break
      const other = senders[best + 1]
      if (other !== undefined && compareByPrice(other.next, child.next) < 0) {
        best += 1
        child = other
      }
      if (compareByPrice(child.next, moved.next) >= 0) break
      senders[index] = child
      index = best
    }
    senders[index] = moved
  }
}
