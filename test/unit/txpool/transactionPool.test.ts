import t from 'tap'
import { POOL_LIMITS, PoolFixture } from '../../support/poolFixture.ts'
import { accountOfSeed, COW, STRANGER, signedTransaction } from '../../support/signedTransaction.ts'

const hashes = (entries: Iterable<{ transaction: { hashHex: string } }>) =>
  [...entries].map(({ transaction }) => transaction.hashHex)

t.test('a replacement pays 40 percent more, rounded down', (t) => {
  const pool = new PoolFixture()
  const old = pool.send({ gasPrice: 103n })
  const refused = 'gas price not enough to bump transaction'
  t.equal(pool.refusal({ gasPrice: 103n, value: 2n }), refused)
  t.equal(pool.refusal({ gasPrice: 143n }), refused)
  const change = pool.add(signedTransaction({ gasPrice: 144n }))
  t.same(hashes(change.removed), [old.hashHex])
  t.equal(pool.pool.pendingCount, 1)
  t.equal(pool.pool.get(old.hashHex), undefined)
  t.end()
})

t.test('a price of zero is replaced by any other', (t) => {
  const pool = new PoolFixture()
  pool.send({ gasPrice: 0n })
  t.equal(pool.refusal({ gasPrice: 0n, value: 2n }), 'gas price not enough to bump transaction')
  t.equal(pool.refusal({ gasPrice: 1n }), null)
  t.end()
})

t.test('a gap queues, what fills it brings the rest along', (t) => {
  const pool = new PoolFixture()
  pool.send({ nonce: 2n })
  pool.send({ nonce: 1n })
  t.same([pool.pendingNonces(), pool.queuedNonces()], [[], [2n, 1n]])
  t.equal(pool.pool.nextNonce(COW.address), 0n)
  const change = pool.add(signedTransaction({ nonce: 0n }))
  t.same(
    change.pending.map(({ transaction }) => transaction.nonce),
    [0n, 1n, 2n],
  )
  t.equal(pool.pool.queuedCount, 0)
  t.equal(pool.pool.nextNonce(COW.address), 3n)
  t.equal(pool.pool.nonceAfterPending(COW.address), 3n)
  t.equal(pool.pool.nonceAfterPending(STRANGER.address), null)
  t.end()
})

t.test('two queued transactions of one nonce are both taken; the first becomes pending', (t) => {
  const pool = new PoolFixture()
  const first = pool.send({ nonce: 1n, gasPrice: 5n })
  const second = pool.send({ nonce: 1n, gasPrice: 5n, value: 2n })
  t.equal(pool.pool.queuedCount, 2)
  pool.send({ nonce: 0n })
  t.ok(pool.pool.pendingByHash(first.hashHex))
  t.notOk(pool.pool.pendingByHash(second.hashHex))
  t.ok(pool.pool.get(second.hashHex))
  t.end()
})

t.test('what the sender cannot pay for with the rest does not become pending', (t) => {
  const pool = new PoolFixture()
  const dear = pool.send({ nonce: 1n, value: 10n ** 18n - 21_000n })
  const change = pool.add(signedTransaction({ nonce: 0n, value: 1n }))
  t.same(hashes(change.removed), [dear.hashHex])
  t.same(pool.pendingNonces(), [0n])
  t.equal(
    pool.refusal({ nonce: 1n, value: 10n ** 18n - 42_000n }),
    'insufficient funds to pay for pending and new transactions',
  )
  t.equal(pool.refusal({ nonce: 1n, value: 10n ** 18n - 42_001n }), null, 'to the last wei')
  t.end()
})

t.test('a replacement counts in place of what it replaces', (t) => {
  const pool = new PoolFixture()
  pool.send({ value: 10n ** 18n - 21_000n })
  t.equal(pool.refusal({ gasPrice: 2n, value: 10n ** 18n - 42_000n }), null)
  t.end()
})

t.test('a block takes its transactions out, and others of the same nonce', (t) => {
  const pool = new PoolFixture()
  const mined = pool.send({ nonce: 0n })
  const next = pool.send({ nonce: 1n })
  const queued = pool.send({ nonce: 3n })
  const { version } = pool.pool
  pool.fund(COW, { nonce: 1n })
  const change = pool.pool.onHead({
    head: pool.head({ number: 6 }),
    retracted: [],
    enacted: [{ transaction: mined, sender: COW.address }],
  })
  t.same(hashes(change.removed), [mined.hashHex])
  t.same(change.pending, [])
  t.ok(pool.pool.version > version)
  t.ok(pool.pool.pendingByHash(next.hashHex))
  t.ok(pool.pool.get(queued.hashHex))
  const stranger = signedTransaction({ nonce: 1n, value: 7n })
  pool.fund(COW, { nonce: 2n })
  const usedUp = pool.pool.onHead({
    head: pool.head({ number: 7 }),
    retracted: [],
    enacted: [{ transaction: stranger, sender: COW.address }],
  })
  t.same(hashes(usedUp.removed), [next.hashHex], 'the nonce is used up by another transaction')
  t.end()
})

t.test('a block that fills the gap from outside promotes what waited', (t) => {
  const pool = new PoolFixture()
  const queued = pool.send({ nonce: 1n })
  pool.fund(COW, { nonce: 1n })
  const change = pool.pool.onHead({
    head: pool.head({ number: 6 }),
    retracted: [],
    enacted: [{ transaction: signedTransaction({ nonce: 0n }), sender: COW.address }],
  })
  t.same(hashes(change.pending), [queued.hashHex])
  t.end()
})

t.test('a reorganisation brings transactions back', (t) => {
  const pool = new PoolFixture()
  pool.fund(COW, { nonce: 2n })
  const [first, second] = [signedTransaction({ nonce: 0n }), signedTransaction({ nonce: 1n })]
  const waiting = pool.send({ nonce: 2n })
  pool.fund(COW, { nonce: 1n })
  const change = pool.pool.onHead({
    head: pool.head({ number: 6 }),
    retracted: [first, second].map((transaction) => ({ transaction, sender: COW.address })),
    enacted: [{ transaction: first, sender: COW.address }],
  })
  t.same(hashes(change.pending), [second.hashHex])
  t.same(new Set(hashes(pool.pool.pending())), new Set([second.hashHex, waiting.hashHex]))
  pool.fund(COW, { nonce: 0n })
  pool.pool.onHead({
    head: pool.head({ number: 6 }),
    retracted: [{ transaction: first, sender: COW.address }],
    enacted: [],
  })
  t.same(new Set(pool.pendingNonces()), new Set([0n, 1n, 2n]))
  t.end()
})

t.test('what waited for a retracted transaction that is no longer admitted is queued', (t) => {
  const pool = new PoolFixture()
  pool.fund(COW, { nonce: 1n })
  const waiting = pool.send({ nonce: 1n })
  pool.fund(COW, { nonce: 0n })
  const retracted = signedTransaction({ nonce: 0n, gasLimit: 20_000n })
  pool.pool.onHead({
    head: pool.head({ number: 6 }),
    retracted: [{ transaction: retracted, sender: COW.address }],
    enacted: [],
  })
  t.equal(pool.pool.pendingCount, 0)
  t.ok(pool.pool.get(waiting.hashHex))
  t.end()
})

t.test('transactions leave after ten blocks or 650 seconds', (t) => {
  const pool = new PoolFixture()
  pool.send()
  const at = (number: number) =>
    pool.pool.onHead({ head: pool.head({ number }), retracted: [], enacted: [] }).removed.length
  t.equal(at(15), 0)
  t.equal(at(16), 1)
  pool.send()
  pool.now += POOL_LIMITS.outdatedMilliseconds - 1
  t.same(pool.pool.removeOutdated(), [])
  pool.now += 1
  t.equal(pool.pool.removeOutdated().length, 1)
  t.equal(pool.pool.pendingCount, 0)
  t.end()
})

t.test('what followed an outdated transaction is queued again', (t) => {
  const pool = new PoolFixture()
  pool.send({ nonce: 0n })
  pool.now += 1000
  pool.send({ nonce: 1n })
  pool.now += POOL_LIMITS.outdatedMilliseconds - 1000
  t.equal(pool.pool.removeOutdated().length, 1)
  t.same([pool.pendingNonces(), pool.queuedNonces()], [[], [1n]])
  t.end()
})

t.test('the pool comes back after a stop with its times', (t) => {
  const before = new PoolFixture()
  before.send({ nonce: 0n })
  before.now += 1000
  before.send({ nonce: 2n })
  before.send({ nonce: 1n })
  const kept = [...before.pool.pending(), ...before.pool.queued()]
  const after = new PoolFixture({ head: { number: 7 }, quota: true })
  const unknown = { transaction: signedTransaction({ from: STRANGER }), sender: STRANGER.address }
  const dropped = after.pool.restore([...kept, { ...unknown, addedAt: after.now, addedAtBlock: 7 }])
  t.same(dropped, [unknown.transaction])
  t.same(after.pendingNonces(), [0n, 1n, 2n])
  t.same(
    [...after.pool.pending()].map(({ addedAt, addedAtBlock }) => [addedAt, addedAtBlock]),
    [...before.pool.pending()].map(({ addedAt, addedAtBlock }) => [addedAt, addedAtBlock]),
  )
  const late = new PoolFixture({ head: { number: 16 } })
  t.equal(late.pool.restore(kept).length, 3, 'outdated ones do not')
  t.equal(late.pool.pendingCount + late.pool.queuedCount, 0)
  t.end()
})

t.test('a block takes the best payer first and each sender by nonce', (t) => {
  const pool = new PoolFixture()
  const other = accountOfSeed('cow1')
  pool.fund(other)
  const a0 = pool.send({ nonce: 0n, gasPrice: 1n })
  const a1 = pool.send({ nonce: 1n, gasPrice: 9n })
  const b0 = pool.send({ nonce: 0n, gasPrice: 5n, from: other })
  const b1 = pool.send({ nonce: 1n, gasPrice: 2n, from: other })
  t.same(
    hashes([...pool.pool.inBlockOrder()]),
    [b0, b1, a0, a1].map(({ hashHex }) => hashHex),
  )
  t.end()
})
