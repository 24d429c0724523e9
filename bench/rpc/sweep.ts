import type { Row } from '../report/results.ts'
import { measureClosedLoop } from './closedLoop.ts'
import type { Contender, Measurement } from './contender.ts'
import { isLimitedByGenerator } from './ratios.ts'

/** Default workloads of a sweep: the cheapest request, and one that executes. */
const WORKLOADS: readonly string[] = ['eth_chainId', 'eth_call balanceOf of 200,000 accounts']

/** One workload on each node with one number of connections. */
export interface SweepResult {
  readonly workload: string
  readonly connections: number
  readonly medians: Readonly<Record<string, Measurement>>
}

export interface SweepOptions {
  /** Numbers of connections. */
  readonly sweep: readonly number[]
  readonly only: readonly string[] | null
  readonly seconds: number
  readonly runs: number
  readonly warmUpSeconds: number
}

/** Finds the number of connections at which the closed loop is at its peak on every node. */
export async function measureSweep(
  contenders: readonly Contender[],
  { sweep, only, ...options }: SweepOptions,
): Promise<SweepResult[]> {
  const names = (contenders[0]?.workloads ?? []).map(({ name }) => name)
  const chosen = names.filter((name) => only?.some((part) => name.includes(part)) ?? WORKLOADS.includes(name))
  const results: SweepResult[] = []
  for (const workload of chosen) {
    for (const connections of sweep) {
      const { medians } = await measureClosedLoop(contenders, workload, { ...options, connections })
      results.push({ workload, connections, medians })
    }
  }
  return results
}

export function sweepRows(results: readonly SweepResult[]): Row[] {
  return results.flatMap(({ workload, connections, medians }) =>
    Object.entries(medians).map(([node, stats]) => ({
      work: workload,
      connections,
      node,
      'requests/s': Math.round(stats.requestsPerSecond),
      'p50 ms': stats.p50,
      'p99 ms': stats.p99,
      'CPU µs/request': stats.processorMicros ?? '',
      'generator limits': isLimitedByGenerator(stats) ? 'yes' : 'no',
    })),
  )
}
