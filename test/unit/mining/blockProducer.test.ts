import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parseBlock } from '../../../src/chain/codec/block.ts'
import { parseReceipt } from '../../../src/chain/codec/receipt.ts'
import type { PartialConfig } from '../../../src/config/schema.ts'
import { MANUAL_MODE } from '../../../src/mining/blockProducer.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { openTestChain } from '../../support/openTestChain.ts'
import { accountOfSeed, COW, STRANGER, signedTransaction } from '../../support/signedTransaction.ts'

const NOW = 1_700_000_000
const BRIDGE = Buffer.from('0000000000000000000000000000000001000006', 'hex')

function openNode(t: Test, config: PartialConfig = {}) {
  const node = openLocalNode(t, { dataDir: t.testdir(), ...config }, { now: () => NOW * 1000 })
  const { core } = node
  const { chain } = core.open
  const send = async (given: Parameters<typeof signedTransaction>[0] = {}) => {
    const transaction = signedTransaction(given)
    t.match(await core.sendTransaction(transaction.encoded), { status: 'accepted', hash: transaction.hash })
    return transaction
  }
  return { ...node, chain, send }
}

t.test('a transaction is mined before it is answered', async (t) => {
  const { core, chain, context, send } = openNode(t)
  const transaction = await send({ value: 5n })
  t.equal(chain.head.number, 1)
  const block = chain.reader.blockByNumber(1)
  t.same(
    block?.transactions.map(({ hash }) => hash),
    [transaction.hash, block?.transactions.at(-1)?.hash],
  )
  t.ok(block?.transactions.at(-1)?.isRemasc)
  t.equal(context.state.at(chain.head).account(STRANGER.address)?.balance, 5n)
  t.equal(core.pool.pendingCount, 0)
  t.equal(core.journaled, 0)
})

t.test('header fields are those of the rules and of the configuration', async (t) => {
  const coinbase = `0x${'ab'.repeat(20)}`
  const { core, chain } = openNode(t, {
    mining: false,
    coinbase,
    minimumGasPrice: 3,
    targetGasLimit: 9_995_000,
  })
  await core.mine({ count: 5 })
  const headers = [1, 2, 3, 4, 5].map((number) => chain.reader.headerByNumber(number))
  t.same(
    headers.map((header) => header?.fields.minimumGasPrice),
    [1n, 2n, 3n, 3n, 3n],
  )
  t.same(
    headers.map((header) => header?.gasLimit),
    [9_995_000n, 9_995_000n, 9_995_000n, 9_995_000n, 9_995_000n],
  )
  t.same(
    headers.map((header) => header?.timestamp),
    [NOW, NOW + 1, NOW + 2, NOW + 3, NOW + 4],
  )
  const fields = headers[0]?.fields
  t.equal(toHex(fields?.coinbase ?? Buffer.alloc(0)), coinbase)
  t.match(fields, { version: 2, edges: [], uncleCount: 0, paidFees: 0n, gasUsed: 0n })
  t.equal(fields?.ummRoot?.length, 0)
  t.equal(fields?.gasLimitBytes.toString('hex'), '009882f8', 'with a sign byte')
})

t.test('rewards to the account of a secret, and a text of the miner', async (t) => {
  const { core, chain, context } = openNode(t, { mining: false, coinbaseSecret: 'cow', extraData: 'a pool' })
  await core.mine()
  const { coinbase, extraData } = chain.head.fields
  t.same(coinbase, COW.address)
  t.same(context.status().coinbase, COW.address)
  t.equal(
    extraData.toString('hex'),
    `d5018c${Buffer.from('Rhizome-test').toString('hex')}86${Buffer.from('a pool').toString('hex')}`,
  )
})

t.test('the gas limit moves by at most one part in 1024', async (t) => {
  const { core, chain } = openNode(t, { mining: false })
  await core.mine({ count: 2 })
  const first = 10_000_000n - 10_000_000n / 1024n
  t.equal(chain.reader.headerByNumber(1)?.gasLimit, first)
  t.equal(chain.head.gasLimit, first - first / 1024n)
})

t.test('what does not fit in one block goes into the next', async (t) => {
  const { core, chain } = openNode(t, { mining: false })
  const sent = await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const from = accountOfSeed(`cow${index % 2 === 0 ? '' : '1'}`)
      return core.sendTransaction(
        signedTransaction({
          from,
          nonce: BigInt(index >> 1),
          gasLimit: 1_000_000n,
          // A program that loops until its gas is gone: jumpdest, push 0, jump.
          to: Buffer.alloc(0),
          data: Buffer.from('5b600056', 'hex'),
        }).encoded,
      )
    }),
  )
  t.ok(sent.every(({ status }) => status === 'accepted'))
  core.producer.setMode({ instant: true, interval: null })
  const counts = Array.from(
    { length: chain.head.number },
    (_, index) => (chain.reader.blockByNumber(index + 1)?.transactions.length ?? 0) - 1,
  )
  t.same(counts, [8, 8, 4], 'one million fits six times into the sequential sublist and once into each other')
  t.same(chain.reader.headerByNumber(1)?.fields.edges, [1, 2])
  t.equal(core.pool.pendingCount, 0)
})

t.test('a transaction that no block can take any more leaves the pool', async (t) => {
  const { core, chain, send } = openNode(t, { mining: false })
  const low = await send({ gasPrice: 0n })
  const high = await send({ from: accountOfSeed('cow1'), gasPrice: 1n })
  core.settings.adjust({ minimumGasPrice: 100n })
  await core.mine()
  t.equal(core.pool.get(low.hashHex), undefined, 'the minimum went up to 1')
  t.ok(chain.reader.locateTransaction(high.hash))
  t.equal(core.journaled, 0)
})

t.test('what the next block cannot take is refused, with the limit of that block', async (t) => {
  const { core, chain } = openNode(t, { mining: false, minimumGasPrice: 100 })
  const send = (given: Parameters<typeof signedTransaction>[0]) =>
    core.sendTransaction(signedTransaction(given).encoded)
  const { gasLimit } = chain.head
  t.equal(gasLimit, 10_000_000n)
  const refusal = (reason: string) => ({ status: 'refused', reason })
  const overLimit = (gas: bigint, limit: bigint) =>
    refusal(`transaction's gas limit of ${gas} is higher than the block's gas limit of ${limit}`)
  // From block 1 on there are sublists, of which the largest has 6,800,000 (RSKIP144).
  t.match(await send({ gasLimit }), overLimit(gasLimit, 6_800_000n))
  t.match(await send({ gasPrice: 0n }), refusal("transaction's gas price lower than block's minimum"))
  t.match(await send({ gasLimit: 6_800_000n, gasPrice: 1n }), { status: 'accepted' })
  await core.mine()
  t.equal(chain.reader.blockByNumber(1)?.transactions.length, 2)
})

t.test('a transaction with the limit that a refusal names is mined in the next block', async (t) => {
  const { core, chain } = openNode(t, { mining: false })
  const send = (given: Parameters<typeof signedTransaction>[0]) =>
    core.sendTransaction(signedTransaction({ gasPrice: 0n, ...given }).encoded)
  const limits = new Set<string>()
  for (let nonce = 0n; nonce < 24n; nonce += 1n) {
    const refused = await send({ nonce, gasLimit: chain.head.gasLimit })
    const limit = refused.status === 'refused' ? (/(\d+)$/.exec(refused.reason)?.[1] ?? '') : ''
    limits.add(limit)
    t.match(await send({ nonce, gasLimit: BigInt(limit) }), { status: 'accepted' })
    await core.mine()
    t.equal(chain.reader.blockByNumber(chain.head.number)?.transactions.length, 2, `gas ${limit}`)
  }
  // The sequential list gets what is left of an odd block limit (consensus.md §4.6).
  t.same([...limits].sort(), ['6800000', '6800001'])
})

t.test('transactions of one sender go by nonce, those of others by price', async (t) => {
  const { core, chain, send } = openNode(t, { mining: false })
  const other = accountOfSeed('cow1')
  const a1 = await send({ nonce: 1n, gasPrice: 50n })
  const a0 = await send({ nonce: 0n, gasPrice: 1n })
  const b0 = await send({ from: other, gasPrice: 10n })
  await core.mine()
  const block = chain.reader.blockByNumber(1)
  t.same(
    block?.transactions.slice(0, -1).map(({ hashHex }) => hashHex),
    [b0, a0, a1].map(({ hashHex }) => hashHex),
  )
})

t.test('the pending block is the next one, with receipts and a state that can be read', async (t) => {
  const { core, chain, context, send } = openNode(t, { mining: false })
  const transaction = await send({ value: 7n })
  const built = core.pendingBlock()
  const pending = await context.pool.block()
  t.equal(pending.block.number, 1)
  t.same(pending.block.transactions[0]?.hash, transaction.hash)
  t.same(pending.senders, [COW.address, Buffer.alloc(20)])
  t.match(pending.receipts, [{ gasUsed: 21_000n, success: true }, {}])
  t.equal(context.state.at(pending.block.header).account(STRANGER.address)?.balance, 7n)
  t.equal(context.state.at(chain.head).account(STRANGER.address), null)
  t.equal(core.pendingBlock().block, built.block, 'not built twice')
  await send({ nonce: 1n })
  t.equal((await context.pool.block()).block.transactions.length, 3)
  await core.mine()
  const next = await context.pool.block()
  t.equal(next.block.number, 2)
  t.equal(next.block.transactions.length, 1)
})

t.test('time asked for is kept by the blocks to come', async (t) => {
  const { core, chain } = openNode(t, { mining: false })
  await core.mine({ count: 2, timestamp: NOW + 1_000_000 })
  t.equal(chain.reader.headerByNumber(1)?.timestamp, NOW + 1_000_000)
  t.equal(chain.head.timestamp, NOW + 1_000_001)
  core.clock.increase(50, chain.head.timestamp)
  await core.mine()
  t.equal(chain.head.timestamp, NOW + 1_000_051)
  await t.rejects(core.mine({ timestamp: NOW + 1_000_051 }), { code: 'TIMESTAMP' })
})

t.test('modes are switched while the node runs', async (t) => {
  const { core, chain, send } = openNode(t, { mining: false })
  await send()
  t.equal(chain.head.number, 0)
  core.producer.setMode({ instant: true, interval: null })
  t.equal(chain.head.number, 1, 'what waited is mined at once')
  core.producer.setMode(MANUAL_MODE)
  await send({ nonce: 1n })
  t.equal(chain.head.number, 1)
  core.producer.setMode({ instant: false, interval: 0.02 })
  while (chain.head.number < 3) await new Promise((resolve) => setTimeout(resolve, 5))
  core.producer.setMode(MANUAL_MODE)
  t.pass('blocks come with and without transactions')
  t.equal(core.pool.pendingCount, 0)
})

t.test('a call of the Bridge is no hindrance', async (t) => {
  const { chain, send } = openNode(t)
  // getFederationAddress()
  const transaction = await send({
    to: BRIDGE,
    value: 0n,
    data: Buffer.from('6923fa85', 'hex'),
    gasLimit: 100_000n,
  })
  t.same(chain.reader.locateTransaction(transaction.hash), { blockHash: chain.head.hash, index: 0 })
  const receipts = chain.reader.receipts(chain.head)
  t.match(receipts?.[0], { success: true })
})

t.test('blocks past the first with fork detection data are taken by a fresh chain', async (t) => {
  const { core, chain, send } = openNode(t, { mining: false })
  const deployed = await send({
    to: Buffer.alloc(0),
    data: Buffer.from('60006000f3', 'hex'),
    gasLimit: 90_000n,
  })
  await core.mine({ count: 448 })
  const pending = core.pendingBlock().block
  t.equal(pending.header.fields.forkDetectionData.length, 12)
  await core.mine({ count: 5 })
  t.equal(chain.head.number, 453)
  t.ok(chain.reader.locateTransaction(deployed.hash))
  const { chain: fresh } = openTestChain(t, { dataDir: join(t.testdirName, 'fresh') })
  for (let number = 1; number <= 453; number += 1) {
    const mined = chain.reader.blockByNumber(number)
    if (mined === null) throw new Error(`no block ${number}`)
    const { status } = fresh.connect(parseBlock(core.spec, mined.encoded))
    if (status !== 'IMPORTED_BEST') t.fail(`block ${number}: ${status}`)
  }
  t.same(fresh.head.hash, chain.head.hash)
  t.equal(fresh.reader.headerByNumber(449)?.forkDetectionData().length, 12)
  t.same(
    chain.reader.encodedReceipts(chain.head)?.map(parseReceipt).length,
    1,
    'the reward transaction alone',
  )
})

t.test('many blocks are committed in groups, with the time that each would have alone', async (t) => {
  const { core, chain } = openNode(t, { mining: false })
  const { environment } = core.open
  let commits = 0
  const { transaction } = environment
  environment.transaction = (write) => {
    commits += 1
    return transaction.call(environment, write) as never
  }
  const heads: number[] = []
  chain.onHead(({ enacted }) => heads.push(...enacted.map(({ number }) => number)))
  await core.mine({ count: 460, interval: 7 })
  t.equal(chain.head.number, 460)
  t.ok(commits < 460, `${commits} commits`)
  t.same(
    heads,
    Array.from({ length: 460 }, (_, i) => i + 1),
    'every block is told',
  )
  t.equal(chain.head.timestamp, NOW + 459 * 7)
  await core.mine({ count: 2 })
  t.equal(chain.head.timestamp, NOW + 459 * 7 + 2, 'the clock goes on from there')
})

t.test('transactions are in one block of a group only', async (t) => {
  const { core, chain, send } = openNode(t, { mining: false, minimumGasPrice: 0 })
  await core.mine()
  for (let nonce = 0n; nonce < 3n; nonce += 1n) await send({ nonce })
  await core.mine({ count: 5 })
  const counts = [2, 3, 4, 5, 6].map(
    (number) => chain.reader.blockByNumber(number)?.transactions.filter(({ isRemasc }) => !isRemasc).length,
  )
  t.same(counts, [3, 0, 0, 0, 0])
  t.equal(core.pool.pendingCount, 0)
})

t.test('a group that is not committed leaves chain and clock as they were', async (t) => {
  const { core, chain } = openNode(t, { mining: false })
  await core.mine({ count: 3 })
  const { environment } = core.open
  const { transaction } = environment
  environment.transaction = (write) =>
    transaction.call(environment, (writer) => {
      write(writer)
      throw new Error('no commit')
    }) as never
  core.clock.setTo(NOW + 100, chain.head.timestamp)
  await t.rejects(core.mine({ count: 4 }), { message: 'no commit' })
  environment.transaction = transaction
  t.equal(chain.head.number, 3)
  await core.mine({ count: 2 })
  t.equal(chain.head.number, 5)
  t.equal(chain.reader.headerByNumber(4)?.timestamp, NOW + 100, 'the time that was set is still to come')
})

t.test('a request for many blocks ends with the block at hand', async (t) => {
  const { core, chain } = openNode(t, { mining: false })
  const { dev } = core
  let asked = 0
  const isUnwanted = () => {
    asked += 1
    return asked >= 5
  }
  await t.rejects(dev?.mine({ count: 1000 }, isUnwanted) ?? Promise.resolve(), {
    kind: 'stopping',
    message: /^the node stops: 5 of 1000 blocks were made$/,
  })
  t.equal(chain.head.number, 5)
  const many = dev?.mine({ count: 1_000_000 }) ?? Promise.resolve()
  const others = core.sendTransaction(signedTransaction({}).encoded)
  core.endRequests()
  await t.rejects(many, { kind: 'stopping', message: /of 1000000 blocks were made/ })
  t.match(await others, { status: 'accepted' }, 'others are served meanwhile')
  const { number } = chain.head
  await dev?.mine({ count: 1 })
  t.equal(chain.head.number, number + 1, 'one block is made to the end')
})
