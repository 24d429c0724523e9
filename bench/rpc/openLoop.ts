import type { Row } from '../report/results.ts'
import { type ClosedLoopResult, measureClosedLoop } from './closedLoop.ts'
import type { Contender, Measurement } from './contender.ts'
import { P99_AT_HALF_PEAK } from './targets.ts'

export interface OpenLoopResult {
  readonly workload: string
  readonly node: string
  /** Requested rate, per second. */
  readonly rate: number
  readonly stats: Measurement
}

export interface OpenLoopOptions {
  readonly seconds: number
  readonly connections: number
  /** Connections of the closed loop that finds the peak, where it is not known. */
  readonly peakConnections: number
  readonly warmUpSeconds: number
  /** Part of the peak of the closed loop. */
  readonly share: number
}

/**
 * Loads the nodes at a fixed fraction of the closed-loop peak of each. Latencies count from the due time of a
 * request, so that a pause of a node delays all requests of that time.
 */
export async function measureOpenLoop(
  contenders: readonly Contender[],
  name: string,
  known: ClosedLoopResult | undefined,
  { seconds, connections, share, peakConnections, warmUpSeconds }: OpenLoopOptions,
): Promise<OpenLoopResult[]> {
  const peak = { seconds, connections: peakConnections, runs: 1, warmUpSeconds }
  const closed = known ?? (await measureClosedLoop(contenders, name, peak))
  const results: OpenLoopResult[] = []
  for (const contender of contenders) {
    const workload = contender.workload(name)
    const speed = closed.medians[contender.name]?.requestsPerSecond
    if (workload === null || speed === undefined) continue
    if (workload.kind === 'distinct') await contender.moveHead()
    const rate = Math.max(1, Math.round(speed * share))
    const stats = await contender.measure(workload, { seconds, connections, rate })
    results.push({ workload: name, node: contender.name, rate, stats })
  }
  return results
}

export function openLoopRow({ workload, node, rate, stats }: OpenLoopResult): Row {
  return {
    work: workload,
    node,
    'asked/s': rate,
    'answered/s': Math.round(stats.requestsPerSecond),
    'p50 ms': stats.p50,
    'p99 ms': stats.p99,
    'p99.9 ms': stats.p999,
    'most ms': stats.most,
    failures: stats.failures,
    [`p99 < ${P99_AT_HALF_PEAK} ms`]: stats.p99 < P99_AT_HALF_PEAK ? 'met' : 'not met',
  }
}
