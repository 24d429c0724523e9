import t from 'tap'
import { openPoolNode } from '../support/poolNode.ts'
import { signedTransaction } from '../support/signedTransaction.ts'

t.test('new work is there before anybody hears of the block it is built on', async (t) => {
  const order: string[] = []
  let first = true
  const node = openPoolNode(
    t,
    {},
    {
      listener: {
        onWork: ({ parentHash }) => order.push(`work on ${parentHash.toString('hex')}`),
      },
    },
  )
  node.core.open.chain.onHead(({ head }) => {
    // The node listens first, so its own news are out when this is called.
    if (first) t.same(order, ['work on genesis'])
    first = false
    order.push(`told of ${head.hashHex}`)
  })
  await node.work()
  order.splice(0, order.length, 'work on genesis')
  first = false
  await node.core.mine()
  const head = node.core.open.chain.head.hashHex
  t.same(order, ['work on genesis', `work on ${head}`, `told of ${head}`])
})

t.test('nobody asks: no work is built', async (t) => {
  let built = 0
  let now = 1_700_000_000_000
  const node = openPoolNode(t, {}, { now: () => now, listener: { onWork: () => (built += 1) } })
  await node.core.mine()
  t.equal(built, 0)
  await node.work()
  await node.core.mine()
  t.equal(built, 2, 'somebody asked')
  now += 600_000
  await node.core.mine()
  t.equal(built, 2, 'that was long ago')
  t.equal((await node.work()).parentBlockHash, `0x${node.core.open.chain.head.hashHex}`)
  t.equal(built, 3)
})

t.test('fees that rise by more than a tenth are told', async (t) => {
  let now = 1_700_000_000_000
  const node = openPoolNode(t, { workRefreshTime: 10 }, { now: () => now })
  const refreshed = async () => {
    now += 10_000
    return node.work()
  }
  t.equal((await node.work()).notify, true)
  t.equal((await refreshed()).notify, false, 'only the time is new')
  await node.core.sendTransaction(signedTransaction({ gasPrice: 100n }).encoded)
  t.match(await refreshed(), { notify: true, feesPaidToMiner: '2100000' })
  await node.core.sendTransaction(signedTransaction({ nonce: 1n, gasPrice: 10n }).encoded)
  t.match(await refreshed(), { notify: false, feesPaidToMiner: '2310000' }, 'exactly a tenth')
  await node.core.sendTransaction(signedTransaction({ nonce: 2n, gasPrice: 1n }).encoded)
  t.match(await refreshed(), { notify: true, feesPaidToMiner: '2331000' })
})

t.test('a threshold keeps small fees from being told', async (t) => {
  let now = 1_700_000_000_000
  const node = openPoolNode(t, { workRefreshTime: 10, notifyFees: 30_000 }, { now: () => now })
  await node.work()
  const price = 1_000_000_000n
  await node.core.sendTransaction(signedTransaction({ gasPrice: price }).encoded)
  now += 10_000
  t.match(await node.work(), { notify: false, feesPaidToMiner: '21000000000000' })
  await node.core.sendTransaction(signedTransaction({ nonce: 1n, gasPrice: price }).encoded)
  now += 10_000
  t.match(await node.work(), { notify: true, feesPaidToMiner: '42000000000000' })
})

t.test('transactions bring new work where that is wanted', async (t) => {
  for (const workOnTransactions of [false, true]) {
    let resolve: () => void = () => undefined
    const rebuilt = new Promise<void>((done) => {
      resolve = done
    })
    let built = 0
    const onWork = () => {
      built += 1
      if (built === 2) resolve()
    }
    const dataDir = `${t.testdir()}/${workOnTransactions}`
    const node = openPoolNode(t, { workOnTransactions, dataDir }, { listener: { onWork } })
    await node.work()
    await node.core.sendTransaction(signedTransaction({ gasPrice: 5n }).encoded)
    if (workOnTransactions) {
      await rebuilt
      t.match(await node.work(), { feesPaidToMiner: '105000', notify: true })
    } else {
      t.equal(built, 1)
    }
  }
})

t.test('a rewind and an edit of the state make new work', async (t) => {
  const node = openPoolNode(t)
  const { dev } = node.core
  await node.core.mine()
  const onFirst = await node.work()
  await node.core.mine()
  await dev?.reset()
  const onGenesis = await node.work()
  t.equal(onGenesis.parentBlockHash, `0x${node.core.open.chain.head.hashHex}`)
  t.not(onGenesis.parentBlockHash, onFirst.parentBlockHash)
  await dev?.editAccount({ address: Buffer.alloc(20, 7), balance: 5n })
  const edited = await node.work()
  t.equal(edited.parentBlockHash, onGenesis.parentBlockHash)
  t.not(edited.blockHashForMergedMining, onGenesis.blockHashForMergedMining)
})
