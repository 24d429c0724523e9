import { setTimeout as sleep } from 'node:timers/promises'
import { type Abi, encodeFunctionData, toHex } from 'viem'
import { readArtefact } from '../../test/contracts/artefact.ts'
import type { Generator, LoadStats } from '../load/generator.ts'
import { accountOf, encodeBalanceOf } from '../rpc/encode.ts'
import { type Body, textOf } from '../rpc/requests.ts'
import type { Scene } from '../rpc/setup.ts'
import type { Endpoint } from './endpoint.ts'
import type { OverloadOptions, QuietKind } from './options.ts'

/** Somewhat less than 50,000,000 gas of hashing. */
const HEAVY_ROUNDS = 130_000
const HEAVY_GAS = 50_000_000
const VARIANTS = 1000
const QUIET_CONNECTIONS = 8
/** Seconds by which the noise begins before the quiet key is measured. */
const LEAD_SECONDS = 1
const QUIET_VARIANTS = 20_000

/** Names of the keys of this part, with their limits. */
export const NOISY_KEYS = {
  quiet: {},
  /** Limits of an ordinary customer. */
  limited: { rate: 200, burst: 1000, concurrency: 100 },
  /** No limits at all: only the node's own fairness stands between the keys. */
  unlimited: {},
} as const

/** The quiet key alone, and right after it beside the noise. */
export interface NoisePart {
  readonly alone: LoadStats
  readonly beside: LoadStats
  readonly noisy: LoadStats
}

export interface NoiseResult {
  /** What the quiet key asked for. */
  readonly quiet: QuietKind
  readonly noise: string
  readonly parts: readonly NoisePart[]
}

/** By how much noise moves the p99 of the quiet key: median of the parts. */
export function movedBy({ parts }: NoiseResult): number {
  return median(parts.map(({ alone, beside }) => beside.p99 / alone.p99))
}

interface Noise {
  readonly name: string
  readonly key: keyof typeof NOISY_KEYS
  readonly connections: number
  readonly bodies: readonly Body[]
}

/**
 * Measures a steady light load of one key, by turns alone and beside another key that asks for as much as it can: what
 * else the machine does in the meantime comes to both.
 */
export async function measureNoisyKeys(
  endpoint: Endpoint,
  generator: Generator,
  options: OverloadOptions,
): Promise<NoiseResult[]> {
  const results: NoiseResult[] = []
  for (const quiet of options.quiet)
    results.push(...(await measureNoise(endpoint, generator, options, quiet)))
  return results
}

async function measureNoise(
  endpoint: Endpoint,
  generator: Generator,
  {
    noisySeconds: seconds,
    quietRate,
    workerRate,
    noisyRounds,
    noisyNiceness: niceness,
    only,
  }: OverloadOptions,
  quiet: QuietKind,
): Promise<NoiseResult[]> {
  const isFront = quiet === 'front'
  const light = generator.write((isFront ? frontBodies : workerBodies)(endpoint.scene).map(textOf))
  const steady = isFront ? quietRate : workerRate
  const askQuietly = (rate?: number) =>
    generator.load(endpoint.url('quiet'), light, {
      seconds,
      connections: QUIET_CONNECTIONS,
      ...(rate === undefined ? {} : { rate }),
    })
  if (isFront) await askQuietly()
  await askQuietly(steady)
  const wanted = noises(endpoint.scene).filter(
    ({ name }) => only?.some((part) => name.includes(part)) ?? true,
  )
  const results: NoiseResult[] = []
  for (const { name, key, connections, bodies } of wanted) {
    const requests = generator.write(bodies.map(textOf))
    const parts: NoisePart[] = []
    for (let round = 0; round < noisyRounds; round++) {
      const alone = await askQuietly(steady)
      const loud = generator.load(endpoint.url(key), requests, {
        seconds: seconds + 2 * LEAD_SECONDS,
        connections,
        niceness,
      })
      await sleep(LEAD_SECONDS * 1000)
      const beside = await askQuietly(steady)
      parts.push({ alone, beside, noisy: await loud })
    }
    results.push({ quiet, noise: name, parts })
  }
  return results
}

/** Balances and balances of the token, each of another account. */
function frontBodies({ accounts, token }: Scene): Body[] {
  return Array.from({ length: QUIET_VARIANTS }, (_, i) =>
    i % 2 === 0
      ? { method: 'eth_getBalance', params: [accountOf(i % accounts), 'latest'] }
      : {
          method: 'eth_call',
          params: [{ to: token, data: encodeBalanceOf(accountOf(i % accounts)) }, 'latest'],
        },
  )
}

/** Short requests in the lanes of calls, traces and reads, each of which is none of the fast path. */
function workerBodies({ accounts, token, transfers, firstBlock, lastBlock }: Scene): Body[] {
  const blocks = lastBlock - firstBlock + 1
  const call = (i: number): Body => ({
    method: 'eth_call',
    params: [
      { to: token, data: encodeBalanceOf(accountOf(i % accounts)), gas: toHex(1_000_000 + i) },
      'latest',
    ],
  })
  const trace = (i: number): Body => ({
    method: 'debug_traceTransaction',
    params: [transfers[i % transfers.length], { tracer: 'callTracer' }],
  })
  const count = (i: number): Body => ({
    method: 'eth_getBlockTransactionCountByNumber',
    params: [toHex(firstBlock + (i % blocks))],
  })
  return Array.from({ length: QUIET_VARIANTS }, (_, i) => [call, trace, count][i % 3]?.(i) as Body)
}

/** The middle one of an odd number of figures. */
export function median(stats: readonly number[]): number {
  return stats.toSorted((a, b) => a - b)[Math.floor(stats.length / 2)] ?? Number.NaN
}

function noises({ compute, transfers, dense, sparse }: Scene): Noise[] {
  const { abi } = readArtefact('Compute')
  const hash = (i: number): Body => ({
    method: 'eth_call',
    params: [
      {
        to: compute,
        data: encodeFunctionData({
          abi: abi as Abi,
          functionName: 'hash',
          args: [BigInt(HEAVY_ROUNDS - i)],
        }),
        gas: toHex(HEAVY_GAS),
      },
      'latest',
    ],
  })
  const trace = (i: number): Body => ({
    method: 'debug_traceTransaction',
    params: [transfers[i % transfers.length], { disableMemory: true, disableStorage: true }],
  })
  const long = (i: number): Body => ({
    method: 'eth_getLogs',
    params: [
      i % 2 === 0 && dense !== null
        ? { address: compute, fromBlock: toHex(dense.first), toBlock: toHex(dense.last) }
        : {
            address: compute,
            fromBlock: toHex((sparse?.first ?? 1) + (i % 100)),
            toBlock: toHex(sparse?.last ?? 1),
          },
    ],
  })
  const many = (make: (i: number) => Body) => Array.from({ length: VARIANTS }, (_, i) => make(i))
  const balance = many((i) => ({ method: 'eth_getBalance', params: [toHex(i + 1, { size: 20 }), 'latest'] }))
  const heavy = Array.from({ length: VARIANTS }, (_, i) => [hash, trace, long][i % 3]?.(i) as Body)
  return [
    { name: 'balances far over the rate', key: 'limited', connections: 256, bodies: balance },
    { name: 'heavy methods far over the rate', key: 'limited', connections: 256, bodies: heavy },
    { name: 'eth_getLogs over long ranges', key: 'unlimited', connections: 64, bodies: many(long) },
    { name: 'debug_traceTransaction', key: 'unlimited', connections: 64, bodies: many(trace) },
    { name: 'eth_call of 50 Mgas', key: 'unlimited', connections: 64, bodies: many(hash) },
    { name: 'all of these', key: 'unlimited', connections: 192, bodies: heavy },
    { name: 'balances as quickly as they come', key: 'unlimited', connections: 64, bodies: balance },
  ]
}
