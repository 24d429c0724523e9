import type { Generator } from '../load/generator.ts'
import type { Row } from '../report/results.ts'
import { median } from './closedLoop.ts'
import { Contender, type Measurement } from './contender.ts'
import { type Peer, startRhizome } from './peers.ts'
import { setUpScene } from './setup.ts'

/** Numbers of workers that are compared. */
const COUNTS = [1, 2] as const
/** What the second worker has to bring. */
const TARGET = 1.7
/** A call that takes a worker a millisecond and more, so that the generator takes next to nothing of the processors. */
const WORKLOAD = 'eth_call 1 Mgas compute'
const SCENE = { transfers: 1, accounts: 100, sparseBlocks: 0 }
/** Enough for each worker to have calls waiting. */
const CONNECTIONS = 16
const WARM_UP_SECONDS = 0.5

/** The same calls on nodes with one worker and with two. */
export interface WorkersResult {
  readonly workers: number
  /** The run of median speed. */
  readonly stats: Measurement
}

/** Loads nodes of one and of two workers by turns with calls that no cache answers. */
export async function measureWorkers(
  generator: Generator,
  { seconds, runs }: { readonly seconds: number; readonly runs: number },
): Promise<WorkersResult[]> {
  const peers: Peer[] = []
  try {
    for (const count of COUNTS) {
      peers.push(
        await startRhizome(['--response-cache', '0', '--workers', String(count)], `${count} workers`),
      )
    }
    const contenders = await Promise.all(
      peers.map(async (peer) => new Contender(peer, await setUpScene(peer, SCENE), generator)),
    )
    const measured: Measurement[][] = COUNTS.map(() => [])
    for (let run = 0; run < runs; run++) {
      for (const [i, contender] of contenders.entries()) {
        const workload = contender.workload(WORKLOAD)
        if (workload === null) throw new Error(`no workload ${WORKLOAD}`)
        if (run === 0)
          await contender.measure(workload, { connections: CONNECTIONS, seconds: WARM_UP_SECONDS })
        measured[i]?.push(await contender.measure(workload, { connections: CONNECTIONS, seconds }))
      }
    }
    return COUNTS.map((workers, i) => ({ workers, stats: median(measured[i] ?? []) }))
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()))
  }
}

export function workersRow({ workers, stats }: WorkersResult, one: WorkersResult | undefined): Row {
  const ratio = stats.requestsPerSecond / (one?.stats.requestsPerSecond ?? Number.NaN)
  return {
    work: WORKLOAD,
    workers,
    'requests/s': Math.round(stats.requestsPerSecond),
    'p50 ms': stats.p50,
    'CPU µs/request': stats.processorMicros ?? '',
    'node % of a core': Math.round(((stats.processorMicros ?? 0) * stats.requestsPerSecond) / 1e4),
    'generator % of a core': Math.round((stats.processorSeconds / stats.seconds) * 100),
    [`ratio to one (≥ ${TARGET})`]:
      workers === 1 ? '' : `${ratio.toPrecision(3)} ${ratio >= TARGET ? 'met' : '**not met**'}`,
  }
}
