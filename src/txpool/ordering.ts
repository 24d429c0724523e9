import type { PooledTransaction } from './interface.ts'

/**
 * The order in which a block takes transactions (consensus.md §9.4 step 3): each sender's by nonce, then
 * price, then hash; among the senders always the one whose next transaction has the highest price. The order
 * is computed lazily, because a pool holds more than a block.
 */
export function* inBlockOrder(transactions: Iterable<PooledTransaction>): Generator<PooledTransaction> {
  const bySender = new Map<string, PooledTransaction[]>()
  for (const entry of transactions) {
    const own = bySender.get(entry.senderHex)
    if (own === undefined) bySender.set(entry.senderHex, [entry])
    else own.push(entry)
  }
  const lists = [...bySender.values()]
  // Lists are consumed from their end, which costs nothing.
  for (const list of lists) list.sort((a, b) => compareWithinSender(b, a))
  const heap = new SenderHeap(lists)
  for (let entry = heap.take(); entry !== undefined; entry = heap.take()) yield entry
}

function compareWithinSender(a: PooledTransaction, b: PooledTransaction): number {
  const [left, right] = [a.transaction, b.transaction]
  if (left.nonce !== right.nonce) return left.nonce < right.nonce ? -1 : 1
  return compareByPrice(a, b)
}

function compareByPrice(a: PooledTransaction, b: PooledTransaction): number {
  const [left, right] = [a.transaction, b.transaction]
  if (left.gasPrice !== right.gasPrice) return left.gasPrice > right.gasPrice ? -1 : 1
  return Buffer.compare(left.hash, right.hash)
}

/** Binary heap of senders' lists by the price of their next transaction, which is their last element. */
class SenderHeap {
  readonly #lists: PooledTransaction[][]

  constructor(lists: PooledTransaction[][]) {
    this.#lists = lists
    for (let index = (lists.length >> 1) - 1; index >= 0; index--) this.#sink(index)
  }

  take(): PooledTransaction | undefined {
    const first = this.#lists[0]
    if (first === undefined) return undefined
    const entry = first.pop()
    if (first.length === 0) {
      const last = this.#lists.pop()
      if (last !== undefined && last !== first) this.#lists[0] = last
    }
    this.#sink(0)
    return entry
  }

  #sink(start: number): void {
    let index = start
    for (;;) {
      let best = index
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child < this.#lists.length && this.#before(child, best)) best = child
      }
      if (best === index) return
      const [a, b] = [this.#lists[index], this.#lists[best]]
      if (a === undefined || b === undefined) return
      this.#lists[index] = b
      this.#lists[best] = a
      index = best
    }
  }

  #before(left: number, right: number): boolean {
    const a = this.#lists[left]?.at(-1)
    const b = this.#lists[right]?.at(-1)
    return a !== undefined && b !== undefined && compareByPrice(a, b) < 0
  }
}
