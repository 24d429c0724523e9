import { bigInt, constantFrom, assert as holds, property, record, uniqueArray } from 'fast-check'
import t from 'tap'
import { AccountQueue } from '../../../src/txpool/accountQueue.ts'
import type { PooledTransaction } from '../../../src/txpool/interface.ts'
import { inBlockOrder } from '../../../src/txpool/ordering.ts'
import { max } from '../../../src/util/bigint.ts'
import { accountOfSeed, signedTransaction } from '../../support/signedTransaction.ts'

const SENDERS = ['cow', 'cow1', 'cow2'].map(accountOfSeed)

const entries = uniqueArray(
  record({
    sender: constantFrom(...SENDERS),
    nonce: bigInt({ min: 0n, max: 5n }),
    gasPrice: bigInt({ min: 1n, max: 4n }),
  }),
  { maxLength: 12, selector: ({ sender, nonce }) => `${sender.address.toString('hex')}/${nonce}` },
).map((given) =>
  given.map(
    ({ sender, nonce, gasPrice }): PooledTransaction => ({
      transaction: signedTransaction({ from: sender, nonce, gasPrice }),
      sender: sender.address,
      senderHex: sender.address.toString('hex'),
      basicCost: 21_000n,
      maximumCost: 0n,
      addedAt: 0,
      addedAtBlock: 0,
    }),
  ),
)

/** The transactions of each sender as the pool has them, added in the given order. */
function bySender(all: readonly PooledTransaction[]): (readonly PooledTransaction[])[] {
  return SENDERS.map(({ address }) => {
    const queue = new AccountQueue()
    for (const entry of all) if (entry.sender.equals(address)) queue.add(entry)
    return queue.inOrder()
  })
}

/** Transactions of a sender that are not taken yet, the next one first. */
function rest(taken: readonly PooledTransaction[], all: readonly PooledTransaction[]): PooledTransaction[][] {
  return SENDERS.map(({ address }) =>
    all
      .filter((entry) => entry.sender.equals(address) && !taken.includes(entry))
      .sort((a, b) => (a.transaction.nonce < b.transaction.nonce ? -1 : 1)),
  )
}

t.test('each transaction is the next of its sender and pays most among those', (t) => {
  const order = property(entries, (all) => {
    const ordered = [...inBlockOrder(bySender(all))]
    if (ordered.length !== all.length) return false
    return ordered.every((entry, index) => {
      const next = rest(ordered.slice(0, index), all).flatMap(([first]) => first ?? [])
      const best = next.map(({ transaction }) => transaction.gasPrice).reduce(max, 0n)
      return next.includes(entry) && entry.transaction.gasPrice === best
    })
  })
  t.doesNotThrow(() => holds(order))
  t.end()
})

t.test('equal prices go by hash', (t) => {
  const all = SENDERS.map((sender): PooledTransaction => {
    const transaction = signedTransaction({ from: sender })
    const { address } = sender
    const senderHex = address.toString('hex')
    const costs = { basicCost: 0n, maximumCost: 0n }
    return { transaction, sender: address, senderHex, ...costs, addedAt: 0, addedAtBlock: 0 }
  })
  const expected = all.map(({ transaction }) => transaction.hashHex).sort()
  t.same(
    [...inBlockOrder(bySender(all))].map(({ transaction }) => transaction.hashHex),
    expected,
  )
  t.end()
})
