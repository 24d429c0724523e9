import t, { type Test } from 'tap'
import { toHex } from '../../../../src/util/bytes.ts'
import { COW, STRANGER } from '../../../support/signedTransaction.ts'
import { type DevNode, openDevNode } from '../evm/devNode.ts'

const FROM = toHex(COW.address)
const TO = toHex(STRANGER.address)
/** From here on headers carry fork detection data (consensus.md §3.5). */
const PAST_FORK_DETECTION = 451
/** Returns 42 from a contract of ten bytes. */
const RUNTIME = '602a60005260206000f3'
const CREATION = `0x600a600c600039600a6000f3${RUNTIME}`

const METHODS: readonly (readonly [string, readonly unknown[]])[] = [
  ['eth_getCode', [TO, 'pending']],
  ['eth_getBlockByNumber', ['pending', true]],
  ['eth_getTransactionByBlockNumberAndIndex', ['pending', '0x0']],
  ['eth_getUncleByBlockNumberAndIndex', ['pending', '0x0']],
  ['eth_getUncleCountByBlockNumber', ['pending']],
]

/** What go-ethereum's bindings ask before and after they send a deployment, all at the pending block. */
async function checkDeployment({ ask }: DevNode, t: Test): Promise<void> {
  const nonce = await ask('eth_getTransactionCount', FROM, 'pending')
  const gas = await ask('eth_estimateGas', { from: FROM, data: CREATION }, 'pending')
  const hash = await ask('eth_sendTransaction', { from: FROM, data: CREATION, gas, nonce })
  t.equal(BigInt(await ask('eth_getTransactionCount', FROM, 'pending')), BigInt(nonce) + 1n)
  const [{ result: traced }] = await ask('debug_traceBlockByNumber', 'pending', { tracer: 'callTracer' })
  const contract = traced.to
  t.equal(await ask('eth_getCode', contract, 'latest'), '0x', 'nothing is mined yet')
  t.equal(await ask('eth_getCode', contract, 'pending'), `0x${RUNTIME}`)
  t.equal(BigInt(await ask('eth_call', { to: contract }, 'pending')), 42n)
  t.ok(BigInt(await ask('eth_estimateGas', { from: FROM, to: contract }, 'pending')) > 21_000n)

  const head = await ask('eth_getBlockByNumber', 'latest', false)
  const block = await ask('eth_getBlockByNumber', 'pending', false)
  t.match(block, { number: null, hash: null, nonce: null, logsBloom: null, miner: null })
  t.match(block, { parentHash: head.hash, totalDifficulty: '0x0', uncles: [] })
  t.equal(block.transactions.length, 2, 'with the reward')
  t.equal(block.transactions[0], hash)
  const { transactions } = await ask('eth_getBlockByNumber', 'pending', true)
  const unplaced = { blockHash: null, blockNumber: null, transactionIndex: null }
  t.match(transactions[0], { hash, from: FROM, to: null, input: CREATION, ...unplaced })
  t.match(transactions[1], { from: `0x${'00'.repeat(20)}`, ...unplaced })
  const indexed = (index: string) => ask('eth_getTransactionByBlockNumberAndIndex', 'pending', index)
  t.same(await indexed('0x0'), transactions[0])
  t.equal(await indexed('0x1'), null, 'the reward is not in the pool')
  t.equal(await ask('eth_getUncleCountByBlockNumber', 'pending'), '0x0')
  t.equal(await ask('eth_getUncleByBlockNumberAndIndex', 'pending', '0x0'), null)

  await ask('evm_mine')
  t.equal(await ask('eth_getCode', contract, 'latest'), `0x${RUNTIME}`)
  t.match(await ask('eth_getBlockByNumber', 'pending', false), { transactions: [/^0x/] }, 'empty again')
}

t.test(
  'the pending block, also past the first one with fork detection data and after a rewind',
  async (t) => {
    const node = await openDevNode(t)
    await node.ask('evm_mine')
    await t.test('young', (t) => checkDeployment(node, t))
    await node.ask('hardhat_mine', `0x${PAST_FORK_DETECTION.toString(16)}`)
    await t.test('past block 449', async (t) => {
      await checkDeployment(node, t)
      const { hashForMergedMining } = await node.ask('eth_getBlockByNumber', 'pending', false)
      const height = Number(await node.ask('eth_blockNumber')) + 1
      t.ok(hashForMergedMining.endsWith(height.toString(16).padStart(8, '0')), 'names its height')
    })
    const mark = await node.ask('evm_snapshot')
    await checkDeployment(node, t)
    t.equal(await node.ask('evm_revert', mark), true)
    await t.test('rewound', (t) => checkDeployment(node, t))
  },
)

t.test('refused where the node is told to', async (t) => {
  const { answer } = await openDevNode(t, { pendingBlocks: 'refuse' })
  for (const [method, params] of METHODS) {
    t.match(await answer(method, ...params), {
      error: { code: -32602, message: `The method ${method} doesn't support 'pending' as a parameter` },
    })
  }
  t.match(await answer('eth_getBalance', TO, 'pending'), { result: '0x0' })
})
