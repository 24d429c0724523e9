import { type Abi, encodeFunctionData, type Hex, toHex } from 'viem'
import { readArtefact } from '../../test/contracts/artefact.ts'
import type { Scene } from './setup.ts'

/** A request, as often as its weight says. */
export interface WeightedRequest {
  readonly weight: number
  /** A JSON-RPC request, or several for a batch. */
  readonly request: JsonRpcRequest | readonly JsonRpcRequest[]
}

export interface JsonRpcRequest {
  readonly method: string
  readonly params: readonly unknown[]
}

/** What is asked in one measurement. */
export interface Workload {
  readonly name: string
  readonly requests: readonly WeightedRequest[]
}

const BATCH = 50
/** About 1,000,000 gas of hashing. */
const COMPUTE_ROUNDS = 3_200n
/** Variants of a request whose subject varies, so that no answer is simply repeated. */
const VARIANTS = 50
const WINDOW = 200

/** The measurements over a scene. Requests are taken by turns in proportion to their weights. */
export function createWorkloads(scene: Scene): Workload[] {
  const { token, compute, owner, receivers, firstBlock, lastBlock, transfers } = scene
  const same = (method: string, params: readonly unknown[] = []): WeightedRequest[] => [
    { weight: 1, request: { method, params } },
  ]
  const vary = (method: string, params: (i: number) => readonly unknown[]): WeightedRequest[] =>
    Array.from({ length: VARIANTS }, (_, i) => ({ weight: 1, request: { method, params: params(i) } }))
  const receiver = (i: number) => receivers[i % receivers.length] as Hex
  const transfer = (i: number) => transfers[i % transfers.length] as Hex
  const block = (i: number) => toHex(firstBlock + (i % (lastBlock - firstBlock + 1)))
  const tokenCall = (functionName: string, args: unknown[]) =>
    encodeFunctionData({ abi: readArtefact('Token').abi as Abi, functionName, args })
  const hashing = encodeFunctionData({
    abi: readArtefact('Compute').abi as Abi,
    functionName: 'hash',
    args: [COMPUTE_ROUNDS],
  })
  const balanceOf = (i: number) => [{ to: token, data: tokenCall('balanceOf', [receiver(i)]) }, 'latest']
  const window = [
    {
      address: token,
      fromBlock: toHex(Math.max(firstBlock, lastBlock - WINDOW + 1)),
      toBlock: toHex(lastBlock),
    },
  ]
  const all: Readonly<Record<string, WeightedRequest[]>> = {
    eth_chainId: same('eth_chainId'),
    eth_blockNumber: same('eth_blockNumber'),
    'eth_getBalance latest': vary('eth_getBalance', (i) => [receiver(i), 'latest']),
    'eth_getBalance historical': vary('eth_getBalance', (i) => [owner, block(i)]),
    eth_getStorageAt: same('eth_getStorageAt', [token, scene.balanceSlot, 'latest']),
    eth_getTransactionCount: vary('eth_getTransactionCount', (i) => [
      i % 2 === 0 ? owner : receiver(i),
      'latest',
    ]),
    eth_getCode: same('eth_getCode', [token, 'latest']),
    'eth_call balanceOf': vary('eth_call', balanceOf),
    'eth_call 1 Mgas compute': same('eth_call', [
      { to: compute, data: hashing, gas: toHex(5_000_000) },
      'latest',
    ]),
    eth_estimateGas: vary('eth_estimateGas', (i) => [
      { from: owner, to: token, data: tokenCall('transfer', [receiver(i), 1n]) },
    ]),
    'eth_getBlockByNumber full': vary('eth_getBlockByNumber', (i) => [block(i), true]),
    eth_getTransactionReceipt: vary('eth_getTransactionReceipt', (i) => [transfer(i)]),
    eth_getTransactionByHash: vary('eth_getTransactionByHash', (i) => [transfer(i)]),
    'eth_getLogs, up to 200 logs': same('eth_getLogs', window),
    eth_getProof: vary('eth_getProof', () => [token, [scene.balanceSlot], 'latest']),
    'batch of 50 eth_getBalance': [
      {
        weight: 1,
        request: Array.from({ length: BATCH }, (_, i) => ({
          method: 'eth_getBalance',
          params: [receiver(i), 'latest'],
        })),
      },
    ],
  }
  const share = (name: string, weight: number): WeightedRequest[] => {
    const requests = all[name] ?? []
    return requests.map(({ request }) => ({ weight: weight / requests.length, request }))
  }
  const mix = [
    ...share('eth_call balanceOf', 53),
    ...share('eth_getBlockByNumber full', 10),
    ...share('eth_getBalance latest', 7),
    ...share('eth_chainId', 6),
    ...share('eth_getTransactionReceipt', 6),
    ...share('eth_blockNumber', 4),
    ...share('eth_getLogs, up to 200 logs', 4),
    ...share('eth_getTransactionByHash', 4),
    ...share('eth_getTransactionCount', 3),
    ...share('eth_getCode', 3),
  ]
  return [...Object.entries(all), ['traffic mix', mix] as const].map(([name, requests]) => ({
    name,
    requests,
  }))
}
