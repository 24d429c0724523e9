import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { exportBlocks } from '../../../src/chain/exportBlocks.ts'
import { importBlocks } from '../../../src/chain/import/importBlocks.ts'
import type { HeadNotice } from '../../../src/filters/events.ts'
import { MANUAL_MODE } from '../../../src/mining/blockProducer.ts'
import { POOL_JOURNAL } from '../../../src/node/chainThread/storeCommits.ts'
import type { EncodedTransaction } from '../../../src/txpool/encodedTransaction.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { openTestChain, REGTEST } from '../../support/openTestChain.ts'
import { accountOfSeed, COW, STRANGER, signedTransaction } from '../../support/signedTransaction.ts'

t.test('what was mined and what waits is there after a restart', async (t) => {
  const dataDir = t.testdir()
  const first = openLocalNode(t, { dataDir })
  const mined = signedTransaction({ value: 3n })
  await first.core.sendTransaction(mined.encoded)
  first.core.producer.setMode(MANUAL_MODE)
  const waiting = signedTransaction({ nonce: 1n })
  const queued = signedTransaction({ nonce: 5n })
  for (const { encoded } of [queued, waiting]) await first.core.sendTransaction(encoded)
  const entry = first.core.pool.get(waiting.hashHex)
  const head = first.core.open.chain.head
  await first.close()

  const second = openLocalNode(t, { dataDir, mining: false })
  t.same(second.core.open.chain.head.hash, head.hash)
  t.ok(second.context.chain.locateTransaction(mined.hash))
  t.equal(second.context.state.at(second.context.chain.head()).account(STRANGER.address)?.balance, 3n)
  t.equal(second.core.restored, 2)
  t.match(second.core.pool.pendingByHash(waiting.hashHex), {
    addedAt: entry?.addedAt,
    addedAtBlock: entry?.addedAtBlock,
  })
  t.same((await second.context.pool.transaction(queued.hash))?.encoded, queued.encoded)
  await second.close()

  const third = openLocalNode(t, { dataDir })
  t.ok(third.context.chain.locateTransaction(waiting.hash), 'in the instant mode it is mined at the start')
  t.equal(third.core.open.chain.head.number, 2)
})

t.test('one commit serves all who send at the same time', async (t) => {
  const { core } = openLocalNode(t, { dataDir: t.testdir() })
  const senders = Array.from({ length: 10 }, (_, index) => accountOfSeed(index === 0 ? 'cow' : `cow${index}`))
  const outcomes = await Promise.all(
    senders.flatMap((from) =>
      [0n, 1n, 2n].map((nonce) => core.sendTransaction(signedTransaction({ from, nonce }).encoded)),
    ),
  )
  t.ok(outcomes.every(({ status }) => status === 'accepted'))
  t.equal(core.open.chain.head.number, 1, 'one block')
  t.equal(core.open.chain.reader.blockByNumber(1)?.transactions.length, 31)
})

t.test('a refusal has the text of the pool', async (t) => {
  const { core } = openLocalNode(t, { dataDir: t.testdir() })
  t.same(await core.sendTransaction(signedTransaction({ from: STRANGER }).encoded), {
    status: 'refused',
    reason: "the sender account doesn't exist",
    stats: {},
  })
  await core.sendTransaction(signedTransaction().encoded)
  t.match(await core.sendTransaction(signedTransaction().encoded), { reason: 'transaction nonce too low' })
  t.match(await core.sendTransaction(signedTransaction({ nonce: 1n, gasLimit: 9_000_000n }).encoded), {
    reason: "transaction's gas limit of 9000000 is higher than the block's gas limit of 6800000",
  })
})

t.test('listeners are told of blocks and of pending transactions', async (t) => {
  const heads: HeadNotice[] = []
  const pending: EncodedTransaction[] = []
  const { core } = openLocalNode(
    t,
    { dataDir: t.testdir() },
    {
      listener: { onHead: (notice) => heads.push(notice), onPending: (notices) => pending.push(...notices) },
    },
  )
  const transaction = signedTransaction()
  await core.sendTransaction(transaction.encoded)
  t.same(heads, [{ retracted: [], enacted: [{ number: 1, hash: core.open.chain.head.hash }] }])
  t.same(pending, [{ hash: transaction.hash, encoded: transaction.encoded, sender: COW.address }])
})

t.test('the chain that was made is exported and imported by a fresh node', async (t) => {
  const folder = t.testdir({ made: {}, fresh: {} })
  const { core, close } = openLocalNode(t, { dataDir: join(folder, 'made') })
  for (let nonce = 0n; nonce < 5n; nonce += 1n) {
    await core.sendTransaction(signedTransaction({ nonce, value: nonce }).encoded)
  }
  await core.mine({ count: 3 })
  const { chain } = core.open
  const file = join(folder, 'blocks.rlp')
  writeFileSync(
    file,
    Buffer.concat([...exportBlocks(chain.reader, { from: 1, to: 8 })].map(({ encoded }) => encoded)),
  )
  const fresh = openTestChain(t, { dataDir: join(folder, 'fresh') })
  const report = await importBlocks({ path: file, spec: REGTEST, chain: fresh.chain, commitEvery: 4 })
  t.match(report, { blocks: 8, connected: 8, invalid: null })
  t.same(fresh.chain.head.hash, chain.head.hash)
  await close()
})

t.test('a second node does not get the data directory', async (t) => {
  const dataDir = t.testdir()
  const { close } = openLocalNode(t, { dataDir })
  t.throws(() => openLocalNode(t, { dataDir }), { code: 'STORAGE_LOCKED' })
  await close()
  t.doesNotThrow(() => openLocalNode(t, { dataDir }))
})

t.test(
  'a reorganisation gives transactions back, also when the process ends before the pool has noted it',
  async (t) => {
    const folder = t.testdir({ ours: {}, theirs: {} })
    const heads: HeadNotice[] = []
    const ours = openLocalNode(
      t,
      { dataDir: join(folder, 'ours') },
      { listener: { onHead: (notice) => heads.push(notice) } },
    )
    const transaction = signedTransaction()
    await ours.core.sendTransaction(transaction.encoded)
    ours.core.producer.setMode(MANUAL_MODE)
    const theirs = openLocalNode(t, { dataDir: join(folder, 'theirs'), mining: false })
    await theirs.core.mine({ count: 2 })
    for (const number of [1, 2]) {
      const block = theirs.core.open.chain.reader.blockByNumber(number)
      if (block === null) throw new Error(`no block ${number}`)
      ours.core.open.chain.connect(block)
    }
    t.match(heads.at(-1), { retracted: [{ number: 1 }], enacted: [{ number: 1 }, { number: 2 }] })
    t.ok(ours.core.pool.pendingByHash(transaction.hashHex))
    await ours.close()
    t.equal(ours.core.journaled, 1)
    rmSync(join(folder, 'ours', POOL_JOURNAL))
    const again = openLocalNode(t, { dataDir: join(folder, 'ours') })
    t.ok(again.context.chain.locateTransaction(transaction.hash), 'mined on the other branch')
    t.equal(again.core.open.chain.head.number, 3)
  },
)
