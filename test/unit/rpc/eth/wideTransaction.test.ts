import t from 'tap'
import { toHex } from '../../../../src/util/bytes.ts'
import { COW, signedTransaction, type TestTransaction } from '../../../support/signedTransaction.ts'
import { openDevNode } from '../evm/devNode.ts'

// Numbers of any width are transactions, and refusals are those of the reference (consensus.md §9.1): -32010 with the
// rule that they break, and never an internal error.

const WIDE = 1n << 263n
const refusal = (message: string) => ({ code: -32010, message })
const overLimit = (gas: bigint) =>
  refusal(`transaction's gas limit of ${gas} is higher than the block's gas limit of 6800000`)

const CASES: readonly (readonly [what: string, sent: TestTransaction, error: object])[] = [
  ['a gas price of 33 bytes', { gasPrice: WIDE }, refusal('insufficient funds')],
  [
    'the same without gas',
    { gasPrice: WIDE, gasLimitBytes: Buffer.from([0]) },
    refusal("transaction's basic cost is above the gas limit"),
  ],
  [
    'a value of 33 bytes',
    { value: WIDE },
    refusal('insufficient funds to pay for pending and new transactions'),
  ],
  ['a value of 33 bytes behind a gap', { value: WIDE, nonce: 3n }, refusal('insufficient funds')],
  ['gas of 2^63', { gasLimit: 1n << 63n }, overLimit(1n << 63n)],
  ['gas of 2^64 - 1', { gasLimit: (1n << 64n) - 1n }, overLimit((1n << 64n) - 1n)],
  // More than eight bytes are the most gas that there is.
  ['gas of 9 bytes', { gasLimit: 1n << 70n }, overLimit((1n << 63n) - 1n)],
  [
    'gas of 9 bytes with zeros in front',
    { gasLimitBytes: Buffer.from('000000000000005208', 'hex') },
    overLimit((1n << 63n) - 1n),
  ],
  ['gas of 40 bytes', { gasLimit: 1n << 319n }, overLimit((1n << 63n) - 1n)],
  [
    'a nonce of 9 bytes',
    { nonce: 1n << 64n },
    refusal('transaction nonce byte length exceeds maximum: 9 > 8'),
  ],
]

t.test('a transaction with wide numbers is refused by a rule of the pool', async (t) => {
  const node = await openDevNode(t)
  const { core } = node.live.node
  for (const [what, sent, error] of CASES) {
    const { encoded } = signedTransaction({ gasPrice: 1n, ...sent })
    t.match(await node.answer('eth_sendRawTransaction', toHex(encoded)), { error }, what)
    const fromPeer = core.addFromPeers([
      { transaction: signedTransaction({ gasPrice: 1n, ...sent }), sender: COW.address },
    ])
    t.match(fromPeer, [{ name: 'PoolRefusal' }], `${what}, of a peer`)
  }
  t.equal(core.pool.pendingCount + core.pool.queuedCount, 0)
})

t.test('a transaction without gas is no transaction, one without a price costs nothing', async (t) => {
  const node = await openDevNode(t)
  const missing = { code: -32602, message: 'Missing parameter, gasPrice, gas or value' }
  const { encoded } = signedTransaction({ gasLimitBytes: Buffer.alloc(0) })
  t.match(await node.answer('eth_sendRawTransaction', toHex(encoded)), { error: missing })
  const free = signedTransaction({ gasPrice: null })
  t.equal(await node.ask('eth_sendRawTransaction', toHex(free.encoded)), toHex(free.hash))
})
