import t from 'tap'
import { readArtefact } from '../contracts/artefact.ts'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { SocketClient } from '../support/socketClient.ts'
import { testFolder } from '../support/testFolder.ts'

const SUPPLY = '100'.padStart(64, '0')
/** From 449 on blocks commit to their fork (RSKIP110). */
const OLD = 460

interface Head {
  readonly hash: string
  readonly number: string
  readonly parentHash: string
}
interface Log {
  readonly removed: boolean
  readonly transactionHash: string
}

const head = (node: NodeProcess) => node.request<Head>('eth_getBlockByNumber', ['latest', false])

t.test('a running node reorganises on demand, and over a restart', async (t) => {
  const dataDir = testFolder(t)
  const node = await startNode({ dataDir })
  t.teardown(() => node.stop())
  await node.request('hardhat_mine', [OLD])
  const [from] = await node.request<string[]>('eth_accounts')
  const creation = {
    from,
    gas: '0x300000',
    gasPrice: '0x1',
    data: `${readArtefact('Token').bytecode}${SUPPLY}`,
  }
  const socket = await SocketClient.open(Number(new URL(node.url).port))
  t.teardown(() => socket.close())
  const heads = await socket.subscribe('newHeads')
  const logs = await socket.subscribe('logs', { topics: [] })
  /** All notices, once so many heads are among them. */
  const told = async (count: number) => {
    const seen = () => socket.notifications.filter(({ subscription }) => subscription === heads).length
    while (seen() < count) await socket.untilNotifications(socket.notifications.length + 1)
    // Who asks behind the last of them sees that no more of them come.
    await socket.ask('eth_blockNumber')
    return socket.notifications
  }
  const created = await node.request<string>('eth_sendTransaction', [creation])
  const before = await head(node)
  const receipt = await node.request<{ logs: readonly Log[] }>('eth_getTransactionReceipt', [created])
  t.ok(receipt.logs.length > 0, 'the creation has logs')

  t.equal(await node.request('anvil_reorg', [2, [[creation, 1]]]), null)
  const after = await head(node)
  t.equal(after.number, before.number)
  t.not(after.hash, before.hash)
  const notices = await told(3)
  const hashes = notices.flatMap(({ subscription, result }) =>
    subscription === heads ? [(result as Head).hash] : [],
  )
  t.same(hashes, [before.hash, after.parentHash, after.hash], 'each new block is a new head')
  const found = notices.flatMap(({ subscription, result }) => {
    const { transactionHash, removed } = result as Log
    return subscription === logs && transactionHash === created ? [removed] : []
  })
  t.same(
    found,
    receipt.logs
      .flatMap(() => false)
      .concat(
        receipt.logs.flatMap(() => true),
        receipt.logs.flatMap(() => false),
      ),
    'logs come, go, and come again',
  )
  await node.stop()

  const again = await startNode({ dataDir })
  t.teardown(() => again.stop())
  t.equal((await head(again)).hash, after.hash)
  await again.request('anvil_reorg', [3, []])
  t.equal(await again.request('eth_getTransactionReceipt', [created]), null)
  t.equal((await head(again)).number, before.number)
})
