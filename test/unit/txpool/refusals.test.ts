import t from 'tap'
import { createRemascTransaction, type Transaction } from '../../../src/chain/codec/transaction.ts'
import { PoolRefusal, type PoolRefusalCode, type RefusalStats } from '../../../src/txpool/errors.ts'
import { PoolFixture } from '../../support/poolFixture.ts'
import { COW, STRANGER, signedTransaction, type TestTransaction } from '../../support/signedTransaction.ts'

interface RefusalCase {
  /** The text of the reference, to the letter (consensus.md §9.1). */
  readonly text: string
  /** Where the text says it all there are none. */
  readonly stats: RefusalStats
  readonly sent: TestTransaction | Transaction
  readonly pool?: () => PoolFixture
}

const BALANCE = 10n ** 18n
const LARGE = signedTransaction({ data: Buffer.alloc(131_000), gasLimit: 6_000_000n })
const FIRST = signedTransaction({ gasPrice: 100n })
const QUEUED = signedTransaction({ nonce: 5n })

const SECOND = signedTransaction({ gasLimit: 3_000_000n, nonce: 1n })

/** Virtual gas of a second transaction of 3,000,000 gas where blocks have 10,000,000 (consensus.md §9.2). */
function virtualGasOf({ encoded }: Transaction): number {
  return 3_000_000 * (3 * (1 + encoded.length / 25_000) * 2.2)
}

function poolWith(...transactions: readonly Transaction[]): PoolFixture {
  const pool = new PoolFixture()
  for (const transaction of transactions) pool.add(transaction)
  return pool
}

function withNonce(nonce: bigint): PoolFixture {
  const pool = new PoolFixture()
  pool.fund(COW, { nonce })
  return pool
}

function withSpentQuota(): PoolFixture {
  const pool = new PoolFixture({ quota: true })
  pool.send({ gasLimit: 3_000_000n })
  return pool
}

const withMinimum = () => new PoolFixture({ head: { minimumGasPrice: 59_240_000n } })

const CASES: Readonly<Record<PoolRefusalCode, RefusalCase>> = {
  KNOWN_PENDING: {
    text: 'pending transaction with same hash already exists',
    stats: {},
    sent: FIRST,
    pool: () => poolWith(FIRST),
  },
  KNOWN_QUEUED: {
    text: 'queued transaction with same hash already exists',
    stats: {},
    sent: QUEUED,
    pool: () => poolWith(QUEUED),
  },
  SENDER_MISSING: { text: "the sender account doesn't exist", stats: {}, sent: { from: STRANGER } },
  INIT_CODE_SIZE: {
    text: "transaction's init code size is invalid",
    stats: { size: 49_153n, limit: 49_152n },
    sent: { to: Buffer.alloc(0), data: Buffer.alloc(49_153), gasLimit: 5_000_000n },
  },
  SIZE: {
    text: `transaction's size is higher than defined maximum: ${LARGE.encoded.length} > 131072`,
    stats: {},
    sent: LARGE,
  },
  REMASC: { text: 'transaction is a remasc transaction', stats: {}, sent: createRemascTransaction(6) },
  GAS_LIMIT: {
    text: "transaction's gas limit of 6800001 is higher than the block's gas limit of 6800000",
    stats: { gas: 6_800_001n, transactionGasLimit: 6_800_000n, blockGasLimit: 10_000_000n },
    sent: { gasLimit: 6_800_001n },
  },
  NONCE_LENGTH: {
    text: 'transaction nonce byte length exceeds maximum: 9 > 8',
    stats: {},
    sent: { nonceBytes: Buffer.alloc(9, 1) },
  },
  NONCE_ENCODING: {
    text: 'transaction nonce has non-canonical encoding',
    stats: {},
    sent: { nonceBytes: Buffer.from([0, 0]) },
  },
  NONCE_TOO_LOW: {
    text: 'transaction nonce too low',
    stats: { nonce: 2n, accountNonce: 3n },
    sent: { nonce: 2n },
    pool: () => withNonce(3n),
  },
  NONCE_TOO_HIGH: {
    text: 'transaction nonce too high',
    stats: { nonce: 19n, accountNonce: 3n, highest: 18n },
    sent: { nonce: 19n },
    pool: () => withNonce(3n),
  },
  INSUFFICIENT_FUNDS: {
    text: 'insufficient funds',
    stats: { balance: BALANCE, required: 21_000n * BALANCE },
    sent: { gasPrice: BALANCE },
  },
  GAS_PRICE_TOO_LOW: {
    text: "transaction's gas price lower than block's minimum",
    stats: { gasPrice: 1n, minimumGasPrice: 59_240_000n },
    sent: { gasPrice: 1n },
    pool: withMinimum,
  },
  BASIC_COST: {
    text: "transaction's basic cost is above the gas limit",
    stats: { gas: 20_999n, basicCost: 21_000n },
    sent: { gasLimit: 20_999n },
  },
  GAS_PRICE_CAP: {
    text: "transaction's gas price exceeds cap",
    stats: { gasPrice: 4_739_200_001n, cap: 4_739_200_000n },
    sent: { gasPrice: 4_739_200_001n },
    pool: withMinimum,
  },
  BUMP: {
    text: 'gas price not enough to bump transaction',
    stats: { gasPrice: 139n, required: 140n },
    sent: { gasPrice: 139n },
    pool: () => poolWith(FIRST),
  },
  QUOTA: {
    text: 'account exceeds quota',
    stats: { available: 0n, required: BigInt(Math.ceil(virtualGasOf(SECOND))) },
    sent: SECOND,
    pool: withSpentQuota,
  },
  PENDING_FUNDS: {
    text: 'insufficient funds to pay for pending and new transactions',
    stats: { balance: BALANCE, required: BALANCE + 1n + 2_100_000n + 21_000n },
    sent: { nonce: 1n, value: BALANCE },
    pool: () => poolWith(FIRST),
  },
}

for (const [code, { text, stats, sent, pool }] of Object.entries(CASES)) {
  t.test(`${code}: the text of the reference, the figures beside it`, (t) => {
    const fixture = pool?.() ?? new PoolFixture()
    try {
      if ('fields' in sent) fixture.add(sent)
      else fixture.send(sent)
      t.fail('taken')
    } catch (error) {
      if (!(error instanceof PoolRefusal)) throw error
      t.equal(error.code, code)
      t.equal(error.message, text)
      t.same(error.stats, stats)
    }
    t.end()
  })
}

t.test('a replacement for a price of zero needs more than zero', (t) => {
  const pool = poolWith(signedTransaction({ gasPrice: 0n }))
  t.throws(() => pool.send({ gasPrice: 0n, value: 2n }), { code: 'BUMP', stats: { required: 1n } })
  t.end()
})
