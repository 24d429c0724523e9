import { WebSocketProvider } from 'ethers'
import t from 'tap'
import { type Abi, createPublicClient, decodeEventLog, type Hex, webSocket } from 'viem'
import { readArtefact } from '../contracts/artefact.ts'
import { COW_ADDRESS } from '../support/accounts.ts'
import { startNode } from '../support/nodeProcess.ts'

const RECEIVER = `0x${'19'.repeat(20)}` as const
/** transfer(address,uint256) of 5. */
const TRANSFER = `0xa9059cbb${RECEIVER.slice(2).padStart(64, '0')}${'5'.padStart(64, '0')}`

t.test('viem and ethers watch heads, logs and pending transactions over a WebSocket', async (t) => {
  const node = await startNode({ dataDir: t.testdir() })
  t.teardown(() => node.stop())
  const { abi, bytecode } = readArtefact('Token')
  const send = (fields: object) =>
    node.request<Hex>('eth_sendTransaction', [
      { from: COW_ADDRESS, gas: '0x300000', gasPrice: '0x1', ...fields },
    ])
  const created = await send({ data: `${bytecode}${'100'.padStart(64, '0')}` })
  const receipt = await node.request<{ contractAddress: Hex }>('eth_getTransactionReceipt', [created])
  const token = receipt.contractAddress
  const url = node.url.replace('http', 'ws')

  await t.test('viem', async (t) => {
    const client = createPublicClient({ transport: webSocket(url, { reconnect: false }) })
    t.teardown(async () => (await client.transport.getRpcClient()).close())
    const stops: (() => void)[] = []
    const failed = (error: Error) => t.fail(error.message)
    const number = new Promise<bigint>((resolve) => {
      stops.push(client.watchBlockNumber({ onBlockNumber: resolve, onError: failed }))
    })
    const logs = new Promise<readonly { data: Hex; topics: [] }[]>((resolve) => {
      const onLogs = (found: unknown) => resolve(found as readonly { data: Hex; topics: [] }[])
      stops.push(client.watchEvent({ address: token, onLogs, onError: failed }))
    })
    const hashes = new Promise<readonly Hex[]>((resolve) => {
      stops.push(client.watchPendingTransactions({ onTransactions: resolve, onError: failed }))
    })
    // Answers come in order: when this one is here the subscriptions are made.
    const before = await client.getBlockNumber({ cacheTime: 0 })
    const hash = await send({ to: token, data: TRANSFER })
    t.equal(await number, before + 1n)
    t.same(await hashes, [hash])
    const [log] = await logs
    if (log === undefined) throw new Error('no log')
    t.match(decodeEventLog({ abi: abi as Abi, ...log }), { eventName: 'Transfer', args: { value: 5n } })
    for (const stop of stops) stop()
  })

  await t.test('ethers', async (t) => {
    const provider = new WebSocketProvider(url, undefined, { cacheTimeout: -1 })
    t.teardown(() => provider.destroy())
    const number = new Promise<number>((resolve) => void provider.on('block', resolve))
    const log = new Promise<object>((resolve) => void provider.on({ address: token }, resolve))
    const before = await provider.getBlockNumber()
    const hash = await send({ to: token, data: TRANSFER })
    t.match(await log, { transactionHash: hash, removed: false })
    t.equal(await number, before + 1)
  })
})
