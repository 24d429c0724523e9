import { type Hex, toHex } from 'viem'
import { accountOf, balanceSlotOf, encodeBalanceOf } from '../rpc/encode.ts'
import { type Body, type JsonRpcRequest, mix } from '../rpc/requests.ts'
import { askAgain } from './ask.ts'

/** A grown chain to read from. */
export interface GrownChain {
  readonly height: number
  /** Accounts of the numbers below this exist. */
  readonly accounts: number
  /** null where the chain has no token. */
  readonly token: Hex | null
}

const REQUESTS = 100_000
const TRANSACTIONS = 2_000
const LOG_BLOCKS = 200
/** Spreads numbers over a range without repeating one early. */
const STRIDE = 7_919

/** Reads all over the chain and the state, no request twice where there is enough to ask for. */
export async function createReads(
  url: string,
  { height, accounts, token }: GrownChain,
): Promise<Readonly<Record<string, readonly Body[]>>> {
  const count = Math.min(REQUESTS, Math.max(accounts, height))
  const make = (method: string, params: (i: number) => readonly unknown[]): JsonRpcRequest[] =>
    Array.from({ length: count }, (_, i) => ({ method, params: params(i) }))
  const account = (i: number) => accountOf((i * STRIDE) % accounts)
  const block = (i: number) => toHex(1 + ((i * STRIDE) % height))
  const balances = make('eth_getBalance', (i) => [account(i), 'latest'])
  const historical = make('eth_getBalance', (i) => [account(i), block(i)])
  const blocks = make('eth_getBlockByNumber', (i) => [block(i), true])
  const hashes = await transactionsOf(url, height)
  const receipts = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
  const reads = {
    'eth_getBalance latest': balances,
    'eth_getBalance historical': historical,
    'eth_getBlockByNumber full': blocks,
    eth_getTransactionReceipt: receipts,
  }
  if (token === null) return reads
  const calls = make('eth_call', (i) => [{ to: token, data: encodeBalanceOf(account(i)) }, 'latest'])
  // Blocks of the middle half of the chain, so that neither end is asked for.
  const middle = (i: number) =>
    toHex(1 + Math.floor(height / 4) + ((i * STRIDE) % Math.max(1, Math.floor(height / 2))))
  const earlierCalls = make('eth_call', (i) => [{ to: token, data: encodeBalanceOf(account(i)) }, middle(i)])
  const windows = make('eth_getLogs', (i) => {
    const from = 1 + ((i * STRIDE) % Math.max(1, height - LOG_BLOCKS))
    return [{ address: token, fromBlock: toHex(from), toBlock: toHex(from + LOG_BLOCKS - 1) }]
  })
  const rare = make('eth_getLogs', (i) => [
    {
      address: token,
      topics: [null, null, `0x${account(i).slice(2).padStart(64, '0')}`],
      fromBlock: toHex(Math.max(0, height - 9_999)),
      toBlock: toHex(height),
    },
  ])
  const traffic = mix(
    [
      { weight: 53, bodies: calls },
      { weight: 10, bodies: blocks },
      { weight: 7, bodies: balances },
      { weight: 6, bodies: [{ method: 'eth_chainId', params: [] }] },
      { weight: 6, bodies: receipts },
      { weight: 4, bodies: [{ method: 'eth_blockNumber', params: [] }] },
      { weight: 4, bodies: windows },
      { weight: 10, bodies: historical },
    ],
    REQUESTS,
  )
  const cells = make('eth_getStorageAt', (i) => [token, balanceSlotOf(account(i)), 'latest'])
  const earlierCells = make('eth_getStorageAt', (i) => [token, balanceSlotOf(account(i)), block(i)])
  return {
    ...reads,
    'eth_getStorageAt latest': cells,
    'eth_getStorageAt historical': earlierCells,
    'eth_call balanceOf': calls,
    'eth_call balanceOf in the middle': earlierCalls,
    'eth_getLogs, 200 logs': windows,
    'eth_getLogs, one log in up to 10,000 blocks': rare,
    'traffic mix': traffic,
  }
}

/** Hashes of transactions all over the chain. */
async function transactionsOf(url: string, height: number): Promise<Hex[]> {
  const hashes: Hex[] = []
  const step = Math.max(1, Math.floor(height / TRANSACTIONS))
  for (let number = 1; number <= height; number += step) {
    const block = await askAgain<{ transactions: Hex[] }>(url, 'eth_getBlockByNumber', [toHex(number), false])
    const [hash] = block.transactions
    if (hash !== undefined) hashes.push(hash)
  }
  return hashes
}
