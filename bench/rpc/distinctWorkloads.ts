import { type Hex, toHex } from 'viem'
import { accountOf, balanceSlotOf, encodeBalanceOf } from './encode.ts'
import { type JsonRpcRequest, mix, type Workload } from './requests.ts'
import type { Scene } from './setup.ts'

/** Requests without repetition: more than a node answers in one measurement. */
const COUNT = 200_000
const WINDOW = 200

/**
 * Measurements in which no request comes twice, so that no response cache helps. The first accounts of the scene
 * have funds and tokens, most of those asked for have none; blocks, transactions and log windows are as many as
 * the scene has, which is said in the name.
 */
export function createDistinctWorkloads(scene: Scene): Workload[] {
  const { token, firstBlock, lastBlock, transfers } = scene
  const blocks = lastBlock - firstBlock + 1
  const make = (method: string, params: (i: number) => readonly unknown[], count = COUNT) => {
    return (): JsonRpcRequest[] => Array.from({ length: count }, (_, i) => ({ method, params: params(i) }))
  }
  const balances = make('eth_getBalance', (i) => [accountOf(i), 'latest'])
  // Every account at one block, then every account at the next, so that neither comes soon again.
  const historical = make(
    'eth_getBalance',
    (i) => [
      accountOf(i % scene.accounts),
      toHex(firstBlock + ((i + Math.floor(i / scene.accounts)) % blocks)),
    ],
    Math.min(COUNT, scene.accounts * blocks),
  )
  const cells = make('eth_getStorageAt', (i) => [token, balanceSlotOf(accountOf(i)), 'latest'])
  const counts = make('eth_getTransactionCount', (i) => [accountOf(i), 'latest'])
  const calls = make('eth_call', (i) => [{ to: token, data: encodeBalanceOf(accountOf(i)) }, 'latest'])
  const bodies = make('eth_getBlockByNumber', (i) => [toHex(firstBlock + i), true], blocks)
  const receipts = make('eth_getTransactionReceipt', (i) => [transfers[i] as Hex], transfers.length)
  const found = make('eth_getTransactionByHash', (i) => [transfers[i] as Hex], transfers.length)
  const windows = make(
    'eth_getLogs',
    (i) => [
      { address: token, fromBlock: toHex(firstBlock + i), toBlock: toHex(firstBlock + i + WINDOW - 1) },
    ],
    Math.max(1, blocks - WINDOW + 1),
  )
  const single = (method: string, params: readonly unknown[] = []): JsonRpcRequest[] => [{ method, params }]
  const traffic = () =>
    mix(
      [
        { weight: 53, bodies: calls() },
        { weight: 10, bodies: bodies() },
        { weight: 7, bodies: balances() },
        { weight: 6, bodies: single('eth_chainId') },
        { weight: 6, bodies: receipts() },
        { weight: 4, bodies: single('eth_blockNumber') },
        { weight: 4, bodies: windows() },
        { weight: 4, bodies: found() },
        { weight: 3, bodies: counts() },
        { weight: 3, bodies: single('eth_getCode', [token, 'latest']) },
      ],
      COUNT,
    )
  const all: readonly (readonly [string, () => readonly JsonRpcRequest[] | ReturnType<typeof mix>])[] = [
    ['eth_getBalance latest of 200,000 accounts', balances],
    [`eth_getBalance historical of ${scene.accounts} accounts × ${blocks} blocks`, historical],
    ['eth_getStorageAt of 200,000 cells', cells],
    ['eth_getTransactionCount of 200,000 accounts', counts],
    ['eth_call balanceOf of 200,000 accounts', calls],
    [`eth_getBlockByNumber full of ${blocks} blocks`, bodies],
    [`eth_getTransactionReceipt of ${transfers.length} transactions`, receipts],
    ['traffic mix with distinct parameters', traffic],
  ]
  return all.map(([name, list]) => ({ name, transport: 'http', kind: 'distinct', bodies: list }))
}
