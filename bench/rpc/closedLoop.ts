import { type Contender, type Measurement, Refusal } from './contender.ts'
import type { Workload } from './requests.ts'

export interface ClosedLoopOptions {
  readonly seconds: number
  readonly connections: number
  readonly runs: number
  /** Warm-up before the first measurement of each node. */
  readonly warmUpSeconds: number
}

/** Measurements of one workload, by node. */
export interface ClosedLoopResult {
  readonly workload: string
  readonly runs: Readonly<Record<string, readonly Measurement[]>>
  /** The median run of each. */
  readonly medians: Readonly<Record<string, Measurement>>
  /** Errors of nodes that do not support these requests, by node. */
  readonly refusals: Readonly<Record<string, string>>
}

/** Name of this node without its response cache. */
export const CACHE_OFF = 'rhizome, cache off'

/** Loads the nodes alternately, as often as there are runs. One that lacks a method is skipped and named. */
export async function measureClosedLoop(
  contenders: readonly Contender[],
  name: string,
  { seconds, connections, runs, warmUpSeconds }: ClosedLoopOptions,
): Promise<ClosedLoopResult> {
  const measured: Record<string, Measurement[]> = {}
  const refusals: Record<string, string> = {}
  for (let run = 0; run < runs; run++) {
    for (const contender of contenders) {
      const workload = contender.workload(name)
      if (workload === null || !takesPart(contender, workload)) continue
      try {
        if (run === 0) await contender.measure(workload, { connections, seconds: warmUpSeconds })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        refusals[contender.name] = error.message
      }
      if (refusals[contender.name] !== undefined) continue
      if (workload.kind === 'distinct') await contender.moveHead()
      const list = measured[contender.name] ?? []
      list.push(await contender.measure(workload, { connections, seconds }))
      measured[contender.name] = list
    }
  }
  const medians = Object.fromEntries(Object.entries(measured).map(([peer, list]) => [peer, median(list)]))
  return { workload: name, runs: measured, medians, refusals }
}

/** Distinct requests bypass the cache anyway, and over a WebSocket the transport is of interest. */
function takesPart({ name, peer }: Contender, { kind, transport }: Workload): boolean {
  if (transport === 'ws' && peer.socketUrl === null) return false
  return name !== CACHE_OFF || (kind === 'repeated' && transport === 'http')
}

/** The median run by speed. */
export function median(list: readonly Measurement[]): Measurement {
  const sorted = list.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond)
  return sorted[Math.floor(sorted.length / 2)] as Measurement
}
