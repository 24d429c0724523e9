import assert from 'node:assert/strict'
import { it } from 'node:test'
import { getLogsRetryHelper } from '@ponder/utils'
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  defineChain,
  hexToNumber,
  http,
  toHex,
} from 'viem'

const URL = process.env.NODE_URL
/** Logs with one topic, as many as the first word of the data says. */
const MANY_LOGS = '0x6019600c60003960196000f36000355b801560175760aa60006000a1600190036003565b00'
/** More than a range of more than 2,000 blocks may have. */
const CALLS = 4
const LOGS_OF_CALL = 2600
const EMPTY_BLOCKS = 2100

const chain = defineChain({
  id: 33,
  name: 'regtest',
  nativeCurrency: { name: 'RBTC', symbol: 'RBTC', decimals: 18 },
  rpcUrls: { default: { http: [URL] } },
})
const options = { chain, transport: http(URL), pollingInterval: 50, cacheTime: 0 }
const client = createPublicClient(options)
const admin = createTestClient({ ...options, mode: 'hardhat' })
const [account] = await createWalletClient(options).getAddresses()
const wallet = createWalletClient({ ...options, account })
const mined = async (transaction) => {
  const hash = await wallet.sendTransaction({ gas: 3_000_000n, ...transaction })
  return await client.waitForTransactionReceipt({ hash })
}

/** What the indexer asks instead of a range that is refused, until nothing is refused. */
async function read(params, asked) {
  asked.push(params)
  try {
    return await client.request({ method: 'eth_getLogs', params: [params] })
  } catch (error) {
    const { shouldRetry, isSuggestedRange, ranges } = getLogsRetryHelper({ params: [params], error })
    assert.ok(shouldRetry && isSuggestedRange, JSON.stringify(error))
    const found = []
    for (const range of ranges) found.push(...(await read({ ...params, ...range }, asked)))
    return found
  }
}

it('the indexer goes on with the range that a refusal for too many logs names', async () => {
  const { contractAddress: address } = await mined({ data: MANY_LOGS })
  const fromBlock = toHex(await client.getBlockNumber())
  for (let call = 0; call < CALLS; call += 1) {
    await mined({ to: address, data: toHex(LOGS_OF_CALL, { size: 32 }) })
    await admin.mine({ blocks: EMPTY_BLOCKS / CALLS })
  }
  const asked = []
  const toBlock = toHex(await client.getBlockNumber())
  const logs = await read({ address, fromBlock, toBlock }, asked)
  assert.equal(logs.length, CALLS * LOGS_OF_CALL)
  assert.ok(asked.length > 1 && asked.length < 10, JSON.stringify(asked))
  assert.equal(
    new Set(logs.map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`)).size,
    logs.length,
  )
  assert.equal(hexToNumber(asked[1].fromBlock), hexToNumber(fromBlock))
})
