import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { toHex } from '../../src/util/bytes.ts'
import { freePort, type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { COW, signedTransaction } from '../support/signedTransaction.ts'
import { testFolder } from '../support/testFolder.ts'

/** Looks, some minutes of them: a count, because a whole machine may have stood still meanwhile. */
const LOOKS = 1200
const LOOK_MS = 100

interface Head {
  readonly number: string
  readonly hash: string
}

const headOf = (node: NodeProcess) => node.request<Head>('eth_getBlockByNumber', ['latest', false])

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < LOOKS; i++) {
    if (await look()) return
    await sleep(LOOK_MS)
  }
  throw new Error(`${what} did not come`)
}

async function untilSame(a: NodeProcess, b: NodeProcess): Promise<void> {
  await until('the same head', async () => (await headOf(a)).hash === (await headOf(b)).hash)
}

async function startPeer(t: Test, dataDir: string, args: readonly string[]): Promise<NodeProcess> {
  const common = ['--no-mining', '--no-page', '--p2p-host', '127.0.0.1']
  const node = await startNode({ dataDir, args: [...common, ...args] })
  t.teardown(() => node.stop('SIGKILL'))
  return node
}

t.test(
  'a node synchronises from another one, follows it, is followed by it, and goes on after a kill',
  async (t) => {
    const port = await freePort()
    const first = await startPeer(t, testFolder(t), ['--peers', '--p2p-port', String(port)])
    await first.request('hardhat_mine', ['0x1c2'])
    const { enode } = await first.request<{ enode: string }>('admin_nodeInfo')
    t.match(enode, new RegExp(`^enode://[0-9a-f]{128}@127\\.0\\.0\\.1:${port}$`))

    const dataDir = testFolder(t)
    const args = ['--peer', enode, '--p2p-port', String(await freePort())]
    let second = await startPeer(t, dataDir, args)
    await untilSame(first, second)
    t.equal((await headOf(second)).number, '0x1c2')
    // Reported once a second, as is what follows.
    await until('the count of peers', async () => (await second.request('net_peerCount')) === '0x1')

    await first.request('evm_mine')
    await untilSame(first, second)
    await second.request('evm_mine')
    await untilSame(first, second)
    t.equal((await headOf(first)).number, '0x1c4')

    const transaction = signedTransaction({ from: COW, gasPrice: 1_000_000_000n })
    const hash = toHex(transaction.hash)
    await second.request('eth_sendRawTransaction', [toHex(transaction.encoded)])
    const isKnown = (node: NodeProcess) => async () =>
      (await node.request('eth_getTransactionByHash', [hash])) !== null
    await until('the transaction', isKnown(first))
    await first.request('evm_mine')
    await untilSame(first, second)
    t.match(await second.request('eth_getTransactionReceipt', [hash]), { status: '0x1' })

    await second.stop('SIGKILL')
    await first.request('hardhat_mine', ['0x3c'])
    second = await startPeer(t, dataDir, args)
    await untilSame(first, second)
    await until('the end of synchronisation', async () => (await second.request('eth_syncing')) === false)
  },
)

t.test('the heavier of two chains wins on both sides', async (t) => {
  const port = await freePort()
  const first = await startPeer(t, testFolder(t), ['--peers', '--p2p-port', String(port)])
  const second = await startPeer(t, testFolder(t), [
    '--peers',
    '--expected-peers',
    '1',
    '--p2p-port',
    String(await freePort()),
  ])
  await first.request('hardhat_mine', ['0x5'])
  await second.request('evm_increaseTime', [7])
  await second.request('hardhat_mine', ['0x8'])
  const lighter = await headOf(first)
  const { enode } = await first.request<{ enode: string }>('admin_nodeInfo')
  t.equal(await second.request('admin_addPeer', [enode]), true)
  await untilSame(first, second)
  t.equal((await headOf(first)).number, '0x8')
  t.not((await first.request<Head>('eth_getBlockByNumber', ['0x5', false])).hash, lighter.hash)
})

t.test('a store with another block at a checkpoint does not start', async (t) => {
  const dataDir = testFolder(t)
  const checkpoint = `0:0x${'11'.repeat(32)}`
  await t.rejects(startPeer(t, dataDir, ['--peers', '--p2p-port', '0', '--checkpoints', checkpoint]), {
    message: /--checkpoints: block 0 is 0x/,
  })
})
