import { array, bigInt, constantFrom, assert as holds, property, record } from 'fast-check'
import t from 'tap'
import { AccountQueue } from '../../../src/txpool/accountQueue.ts'
import type { PooledTransaction } from '../../../src/txpool/interface.ts'
import { max } from '../../../src/util/bigint.ts'
import { accountOfSeed, signedTransaction } from '../../support/signedTransaction.ts'

const SENDER = accountOfSeed('cow')

/** Transactions of one sender: four nonces, each at two prices. */
const ALL: readonly PooledTransaction[] = [0n, 1n, 2n, 3n].flatMap((nonce) =>
  [1n, 2n].map((gasPrice) => ({
    transaction: signedTransaction({ from: SENDER, nonce, gasPrice }),
    sender: SENDER.address,
    senderHex: SENDER.address.toString('hex'),
    basicCost: 21_000n,
    maximumCost: 100n * nonce + gasPrice,
    addedAt: 0,
    addedAtBlock: 0,
  })),
)

/** What is to be done with one of them. */
const steps = array(
  record({
    action: constantFrom('add', 'remove', 'look'),
    index: bigInt({ min: 0n, max: BigInt(ALL.length - 1) }).map(Number),
  }),
  { maxLength: 40 },
)

/** The queue says the same as a plain list in order of arrival. */
function agrees(queue: AccountQueue, list: readonly PooledTransaction[]): boolean {
  const nonces = list.map(({ transaction }) => transaction.nonce)
  const sorted = list.toSorted((a, b) => {
    const [one, other] = [a.transaction, b.transaction]
    if (one.nonce !== other.nonce) return one.nonce < other.nonce ? -1 : 1
    return one.gasPrice > other.gasPrice ? -1 : 1
  })
  const next = nonces.length === 0 ? null : nonces.reduce(max) + 1n
  return (
    queue.isEmpty === (list.length === 0) &&
    queue.nextNonce() === next &&
    queue.maximumCost === list.reduce((sum, { maximumCost }) => sum + maximumCost, 0n) &&
    queue.inOrder().length === list.length &&
    queue.inOrder().every((entry, index) => entry === sorted[index]) &&
    [0n, 1n, 2n, 3n].every(
      (nonce) => queue.get(nonce) === list.find(({ transaction }) => transaction.nonce === nonce),
    )
  )
}

t.test('order, next nonce and cost are those of what is there, whatever came and went', (t) => {
  const same = property(steps, (taken) => {
    const queue = new AccountQueue()
    let list: PooledTransaction[] = []
    return (
      taken.every(({ action, index }) => {
        const entry = ALL[index] as PooledTransaction
        if (action === 'add' && !list.includes(entry)) {
          queue.add(entry)
          list = [...list, entry]
        } else if (action === 'remove') {
          queue.remove(entry)
          list = list.filter((other) => other !== entry)
        } else if (action === 'look') {
          return agrees(queue, list)
        }
        return queue.isEmpty === (list.length === 0)
      }) && agrees(queue, list)
    )
  })
  t.doesNotThrow(() => holds(same))
  t.end()
})
