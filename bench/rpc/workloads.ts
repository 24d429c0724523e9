import { type Abi, encodeFunctionData, type Hex, toHex } from 'viem'
import { readArtefact } from '../../test/contracts/artefact.ts'
import { createDistinctWorkloads } from './distinctWorkloads.ts'
import { accountOf, balanceSlotOf, encodeBalanceOf } from './encode.ts'
import { type JsonRpcRequest, mix, type Share, type Workload } from './requests.ts'
import type { Scene } from './setup.ts'

const BATCH = 50
/** About 1,000,000 gas of hashing. */
const COMPUTE_ROUNDS = 3_200n
/** Requests in the circle of a repeated workload. */
const VARIANTS = 50
const MIX_LENGTH = 1_000
const WINDOW = 200
/** Largest number of blocks in which the specification lets a node answer any number of logs. */
const UNCAPPED_BLOCKS = 2_000

/** Shares of the methods in published traffic, percent; reads of logs, transactions, counts and code are the rest. */
export const MIX_SHARES: Readonly<Record<string, number>> = {
  'eth_call balanceOf': 53,
  'eth_getBlockByNumber full': 10,
  'eth_getBalance latest': 7,
  eth_chainId: 6,
  eth_getTransactionReceipt: 6,
  eth_blockNumber: 4,
  'eth_getLogs, 200 logs': 4,
  eth_getTransactionByHash: 4,
  eth_getTransactionCount: 3,
  eth_getCode: 3,
}

/** The measurements over a scene. */
export function createWorkloads(scene: Scene): Workload[] {
  const repeated = repeatedRequests(scene)
  const shares = Object.entries(MIX_SHARES).map(
    ([name, weight]): Share => ({ weight, bodies: repeated[name] ?? [] }),
  )
  const sockets = ['eth_chainId', 'eth_getBalance latest', 'eth_call balanceOf']
  const circle = (name: string, bodies: Share['bodies'], transport: Workload['transport']): Workload => ({
    name,
    transport,
    kind: 'repeated',
    bodies: () => bodies,
  })
  return [
    ...Object.entries(repeated).map(([name, bodies]) => circle(name, bodies, 'http')),
    circle('traffic mix', mix(shares, MIX_LENGTH), 'http'),
    ...sockets.map((name) => circle(`${name}, WebSocket`, repeated[name] ?? [], 'ws')),
    ...createDistinctWorkloads(scene),
  ]
}

function repeatedRequests(scene: Scene): Record<string, Share['bodies']> {
  const { token, compute, owner, firstBlock, lastBlock, transfers } = scene
  const same = (method: string, params: readonly unknown[] = []): JsonRpcRequest[] => [{ method, params }]
  const vary = (method: string, params: (i: number) => readonly unknown[]): JsonRpcRequest[] =>
    Array.from({ length: VARIANTS }, (_, i) => ({ method, params: params(i) }))
  const receivers = Array.from({ length: VARIANTS }, (_, i) => accountOf(i))
  const receiver = (i: number) => receivers[i % receivers.length] as Hex
  const transfer = (i: number) => transfers[i % transfers.length] as Hex
  const block = (i: number) => toHex(firstBlock + (i % (lastBlock - firstBlock + 1)))
  const encode = (contract: 'Token' | 'Compute', functionName: string, args: unknown[]) =>
    encodeFunctionData({ abi: readArtefact(contract).abi as Abi, functionName, args })
  const logs = (address: Hex, first: number, last: number) =>
    same('eth_getLogs', [{ address, fromBlock: toHex(first), toBlock: toHex(last) }])
  const hashing = { to: compute, data: encode('Compute', 'hash', [COMPUTE_ROUNDS]), gas: toHex(5_000_000) }
  const slot = balanceSlotOf(accountOf(0))
  const { sparse, dense } = scene
  return {
    eth_chainId: same('eth_chainId'),
    eth_blockNumber: same('eth_blockNumber'),
    'eth_getBalance latest': vary('eth_getBalance', (i) => [receiver(i), 'latest']),
    'eth_getBalance historical': vary('eth_getBalance', (i) => [owner, block(i)]),
    eth_getStorageAt: same('eth_getStorageAt', [token, slot, 'latest']),
    eth_getTransactionCount: vary('eth_getTransactionCount', (i) => [
      i % 2 === 0 ? owner : receiver(i),
      'latest',
    ]),
    eth_getCode: same('eth_getCode', [token, 'latest']),
    'eth_call balanceOf': vary('eth_call', (i) => [
      { to: token, data: encodeBalanceOf(receiver(i)) },
      'latest',
    ]),
    'eth_call 1 Mgas compute': same('eth_call', [hashing, 'latest']),
    'eth_estimateGas, plain transfer': vary('eth_estimateGas', (i) => [
      { from: owner, to: receiver(i), value: '0x1' },
    ]),
    'eth_estimateGas, token transfer': vary('eth_estimateGas', (i) => [
      { from: owner, to: token, data: encode('Token', 'transfer', [receiver(i), 1n]) },
    ]),
    'eth_getBlockByNumber full': vary('eth_getBlockByNumber', (i) => [block(i), true]),
    eth_getTransactionReceipt: vary('eth_getTransactionReceipt', (i) => [transfer(i)]),
    eth_getTransactionByHash: vary('eth_getTransactionByHash', (i) => [transfer(i)]),
    'eth_getLogs, 200 logs': logs(token, Math.max(firstBlock, lastBlock - WINDOW + 1), lastBlock),
    ...(sparse === null
      ? {}
      : { 'eth_getLogs, sparse over 10,000 blocks': logs(compute, sparse.first, sparse.last) }),
    ...(dense === null
      ? {}
      : {
          'eth_getLogs, exactly 10,000 logs': logs(compute, dense.first, dense.last),
          // One transaction after the dense blocks has 2,000 logs more, beyond the limit of longer ranges.
          'eth_getLogs, 2,000 blocks uncapped': logs(
            compute,
            Math.max(0, dense.last + 2 - UNCAPPED_BLOCKS),
            dense.last + 1,
          ),
        }),
    eth_getProof: same('eth_getProof', [token, [slot], 'latest']),
    // Every node has this tracer; anvil lists no steps unless it is started for that.
    'debug_traceTransaction, callTracer': vary('debug_traceTransaction', (i) => [
      transfer(i),
      { tracer: 'callTracer' },
    ]),
    'batch of 50 eth_getBalance': [
      Array.from({ length: BATCH }, (_, i) => ({
        method: 'eth_getBalance',
        params: [receiver(i), 'latest'],
      })),
    ],
  }
}
