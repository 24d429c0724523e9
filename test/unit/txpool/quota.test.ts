import t from 'tap'
import { PoolFixture } from '../../support/poolFixture.ts'
import { COW, signedTransaction } from '../../support/signedTransaction.ts'

const EXCEEDED = 'account exceeds quota'
/** Gas limit of the genesis block of regtest: the fixture's head. */
const BLOCK_GAS = 10_000_000
const INCOME = 0.9 * BLOCK_GAS

/** Virtual gas of a creation by consensus.md §9.2. */
function virtualGas(gas: number, nonce: number, size: number): number {
  return gas * (1 + 4 / (nonce + 1)) * (1 + size / 25_000) * (1 + (4 * gas) / BLOCK_GAS)
}

t.test('the first transaction of an account is always taken and costs all it has', (t) => {
  const pool = new PoolFixture({ quota: true })
  const gasLimit = 3_000_000n
  t.ok(virtualGas(3_000_000, 0, 100) > INCOME)
  t.equal(pool.refusal({ gasLimit }), null)
  t.equal(pool.refusal({ gasLimit, nonce: 1n }), EXCEEDED)
  t.end()
})

t.test('an account earns nine tenths of the block gas limit per second', (t) => {
  const pool = new PoolFixture({ quota: true })
  pool.send({ gasLimit: 3_000_000n })
  const next = signedTransaction({ gasLimit: 3_000_000n, nonce: 1n })
  const price = virtualGas(3_000_000, 1, next.encoded.length)
  const needed = Math.ceil((price / INCOME) * 1000)
  pool.now += needed - 1
  t.equal(pool.refusal(next), EXCEEDED)
  pool.now += 1
  t.equal(pool.refusal(next), null)
  t.end()
})

t.test('an account that has sent before may save up 2000 seconds of income', (t) => {
  const pool = new PoolFixture({ quota: true })
  pool.fund(COW, { nonce: 1n, balance: 10n ** 30n })
  const price = virtualGas(
    6_800_000,
    1,
    signedTransaction({ gasLimit: 6_800_000n, nonce: 1n }).encoded.length,
  )
  const affordable = Math.floor((INCOME * 2000) / price)
  let taken = 0
  // Each replacement counts up to three times: two for a nonce that is not the next, and its share of the price.
  for (
    let gasPrice = 1n;
    pool.refusal({ gasLimit: 6_800_000n, nonce: 1n, gasPrice }) === null;
    gasPrice *= 2n
  )
    taken += 1
  t.ok(taken > affordable / 4 && taken < affordable, `${taken} of ${affordable}`)
  t.end()
})

t.test('what was accepted once is not charged again', (t) => {
  const pool = new PoolFixture({ quota: true })
  const first = pool.send({ gasLimit: 3_000_000n })
  pool.fund(COW, { nonce: 1n })
  const enacted = [{ transaction: first, sender: COW.address }]
  pool.pool.onHead({ head: pool.head({ number: 6 }), retracted: [], enacted })
  t.equal(pool.pool.pendingCount, 0)
  pool.fund(COW, { nonce: 0n })
  pool.pool.onHead({ head: pool.head({ number: 6 }), retracted: enacted, enacted: [] })
  t.equal(pool.pool.pendingCount, 1)
  t.end()
})
