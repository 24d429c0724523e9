import t from 'tap'
import { Transaction } from '../../../src/chain/codec/transaction.ts'
import { PoolFixture } from '../../support/poolFixture.ts'
import { STRANGER, signedTransaction } from '../../support/signedTransaction.ts'

const LARGE = signedTransaction({ data: Buffer.alloc(131_000), gasLimit: 6_000_000n })
const BRIDGE = Buffer.from('0000000000000000000000000000000001000006', 'hex')

t.test('prices are judged by the minimum of the head', (t) => {
  const pool = new PoolFixture({ head: { minimumGasPrice: 10n } })
  t.equal(pool.refusal({ gasPrice: 9n }), "transaction's gas price lower than block's minimum")
  t.equal(pool.refusal({ gasPrice: 801n }), "transaction's gas price exceeds cap")
  t.equal(pool.refusal({ gasPrice: 800n }), null)
  const before = new PoolFixture({ head: { minimumGasPrice: 10n, inactive: ['rskip252'] } })
  t.equal(before.refusal({ gasPrice: 801n }), null)
  t.equal(new PoolFixture().refusal({ gasPrice: 10n ** 12n }), null, 'a minimum of zero caps nothing')
  t.end()
})

t.test('what is at a limit is taken', (t) => {
  const taken = (given: Parameters<PoolFixture['refusal']>[0], head = {}) =>
    t.equal(new PoolFixture({ head }).refusal(given), null)
  taken({ gasLimit: 6_800_000n })
  taken({ gasLimit: 21_000n })
  taken({ nonce: 15n })
  taken({ nonceBytes: Buffer.from([0]) })
  taken({ to: Buffer.alloc(0), data: Buffer.alloc(49_152), gasLimit: 6_000_000n })
  taken({ to: Buffer.alloc(0), data: Buffer.alloc(49_153), gasLimit: 6_000_000n }, { inactive: ['rskip438'] })
  taken({ value: 10n ** 18n - 21_000n })
  const withSize = (bytes: number) => signedTransaction({ data: Buffer.alloc(bytes), gasLimit: 6_000_000n })
  const largest = 131_000 - (LARGE.encoded.length - 131_072)
  t.equal(withSize(largest).encoded.length, 131_072)
  taken(withSize(largest))
  t.end()
})

t.test('the first rule broken decides', (t) => {
  const pool = new PoolFixture({ head: { minimumGasPrice: 10n } })
  const wrong = { nonce: 99n, gasPrice: 0n, gasLimit: 1n }
  t.equal(pool.refusal({ ...wrong, from: STRANGER }), "the sender account doesn't exist")
  t.equal(pool.refusal(wrong), 'transaction nonce too high')
  t.equal(pool.refusal({ ...wrong, nonce: 0n }), "transaction's gas price lower than block's minimum")
  t.equal(
    pool.refusal({ ...wrong, nonce: 0n, gasPrice: 10n }),
    "transaction's basic cost is above the gas limit",
  )
  t.end()
})

t.test('a known hash is refused by where it is', (t) => {
  const pool = new PoolFixture()
  const pending = pool.send()
  const queued = pool.send({ nonce: 5n })
  t.equal(pool.refusal(pending), 'pending transaction with same hash already exists')
  t.equal(pool.refusal(queued), 'queued transaction with same hash already exists')
  t.end()
})

t.test('a free transaction needs neither account nor funds', (t) => {
  const pool = new PoolFixture()
  const signed = signedTransaction({ to: BRIDGE, value: 0n, gasPrice: 0n })
  const transaction = new Transaction(signed.fields)
  t.equal(pool.pool.pendingCount, 0)
  const head = pool.head()
  const free = { ...head, basicCost: () => 0n }
  pool.pool.onHead({ head: free, retracted: [], enacted: [] })
  pool.pool.add(transaction, STRANGER.address)
  t.equal(pool.pool.pendingCount, 1)
  t.end()
})
