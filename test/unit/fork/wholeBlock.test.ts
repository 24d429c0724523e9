import t from 'tap'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { Upstream } from '../../../src/fork/upstream.ts'
import { fetchWholeBlock } from '../../../src/fork/wholeBlock.ts'
import { createNode } from '../../../src/library/developmentNode.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { FaultyProxy } from '../../fork/faultyProxy.ts'
import { asking } from '../../fork/upstreamChain.ts'
import { BlockMaker } from '../../support/blockMaker.ts'
import { COW, signedTransaction, type TestTransaction } from '../../support/signedTransaction.ts'

const NO_METHOD = { error: { code: -32601, message: 'method not found' } }

/** Transactions that JSON describes alike, although their bytes and hashes differ. */
const WRITTEN: readonly TestTransaction[] = [
  { gasPrice: 0n },
  { gasPrice: null },
  { gasLimitBytes: Buffer.from('005208', 'hex') },
  { gasPrice: 0n, gasLimitBytes: Buffer.from('0080e8', 'hex'), value: 0n },
  { nonceBytes: Buffer.from('0004', 'hex'), to: Buffer.alloc(0), gasLimit: 100_000n },
]

t.test(
  'blocks of an upstream that gives no raw ones have the bytes that their header commits to',
  async (t) => {
    const node = await createNode({ automine: false })
    t.teardown(() => node.stop())
    const proxy = await FaultyProxy.open(node.url)
    t.teardown(() => proxy.close())
    proxy.fault = ({ method }) => (method === 'debug_getRawBlock' ? NO_METHOD : null)
    const ask = asking(node.url)
    const spec = networkByName('regtest')
    // The pool takes no such nonce, blocks do.
    const maker = new BlockMaker(t, spec)
    const transactions = WRITTEN.map((written, index) => ({
      transaction: signedTransaction({ nonce: BigInt(index), ...written }),
      sender: COW.address,
    }))
    const [made] = maker.extend(maker.genesis, 1, { transactions })
    await ask('evm_importRawBlock', [toHex(made?.encoded ?? Buffer.alloc(0))])
    const block = await fetchWholeBlock(new Upstream([proxy.url]), spec, 1)
    t.equal(block.transactions.length, WRITTEN.length + 1)
    t.equal(toHex(block.encoded), await ask('debug_getRawBlock', ['0x1']))

    const change = (name: string, value: string) => {
      proxy.change = ({ method, params }, result) => {
        if (method !== 'eth_getBlockByNumber' || params[1] !== true) return result
        const fields = result as { transactions: Record<string, unknown>[] }
        const [first, ...others] = fields.transactions
        return { ...fields, transactions: [{ ...first, [name]: value }, ...others] }
      }
    }
    for (const [name, value] of [
      ['value', '0x2'],
      ['gasPrice', '0x1'],
      ['hash', `0x${'77'.repeat(32)}`],
    ] as const) {
      change(name, value)
      await t.rejects(fetchWholeBlock(new Upstream([proxy.url]), spec, 1), {
        code: 'MALFORMED',
        message: /transaction 0x[0-9a-f]{64} has not that hash/,
      })
    }
  },
)
