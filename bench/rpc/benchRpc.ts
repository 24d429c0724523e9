import { parseArgs } from 'node:util'
import { describeMachine } from '../report/machine.ts'
import { type Row, saveResults } from '../report/results.ts'
import { connectPeer, type Peer, startAnvil, startGeth, startRhizome } from './peers.ts'
import { processorSeconds, residentMiB } from './processFigures.ts'
import { setUpScene } from './setup.ts'
import { createWorkloads, type Workload } from './workloads.ts'
import { bodyOf, type LoadFigures, missingGenerator, runLoad } from './wrk.ts'

/** One measurement of one node. */
interface Measurement extends LoadFigures {
  /** Processor time of the node per request in microseconds; null for a node started by others. */
  readonly processorMicros: number | null
  readonly memoryMiB: number | null
}

interface Contender {
  readonly peer: Peer
  readonly workloads: readonly Workload[]
}

const WARM_UP_SECONDS = 1

/**
 * `bench -- rpc [--peer NAME=URL …] [--only TEXT …] [--seconds N] [--runs N] [--connections N] [--transfers N]`:
 * the same scene on every node, then the same load on each in turn. anvil and geth are started where installed. The
 * load repeats its requests, so this node takes part twice: as it is, and without its cache of answers.
 */
export async function benchRpc(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      peer: { type: 'string', multiple: true, default: [] },
      only: { type: 'string', multiple: true },
      seconds: { type: 'string', default: '5' },
      runs: { type: 'string', default: '3' },
      connections: { type: 'string', default: '16' },
      transfers: { type: 'string', default: '200' },
      alone: { type: 'boolean', default: false },
    },
  })
  const missing = missingGenerator()
  if (missing !== null) throw new Error(missing)
  const machine = describeMachine()
  const started = values.alone ? [] : [await startAnvil(), await startGeth()]
  const peers = [
    await startRhizome([]),
    await startRhizome(['--answer-cache', '0'], 'rhizome, cache off'),
    ...started.filter((peer) => peer !== null),
    ...values.peer.map(connectPeer),
  ]
  try {
    const contenders: Contender[] = []
    for (const peer of peers) {
      const scene = await setUpScene(peer, Number(values.transfers))
      contenders.push({ peer, workloads: createWorkloads(scene) })
    }
    const names = (contenders[0]?.workloads ?? [])
      .map(({ name }) => name)
      .filter((name) => values.only?.some((part) => name.includes(part)) ?? true)
    const detail: Record<string, Record<string, Measurement[]>> = {}
    const rows: Row[] = []
    const load = { seconds: Number(values.seconds), connections: Number(values.connections) }
    for (const name of names) {
      const measured = await measureByTurns(contenders, name, load, Number(values.runs))
      detail[name] = Object.fromEntries(measured)
      rows.push(...toRows(name, measured))
      console.error(`${name} done`)
    }
    saveResults('rpc', machine, rows, { options: values, runs: detail })
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()))
  }
}

async function measureByTurns(
  contenders: readonly Contender[],
  name: string,
  load: { seconds: number; connections: number },
  runs: number,
): Promise<Map<string, Measurement[]>> {
  const measured = new Map<string, Measurement[]>()
  for (let run = 0; run < runs; run++) {
    for (const { peer, workloads } of contenders) {
      const workload = workloads.find((candidate) => candidate.name === name)
      if (workload === undefined) continue
      await assertAnswers(peer, workload)
      if (run === 0) await runLoad(peer.url, workload, { ...load, seconds: WARM_UP_SECONDS })
      const before = peer.pid === null ? 0 : processorSeconds(peer.pid)
      const figures = await runLoad(peer.url, workload, load)
      const used = peer.pid === null ? null : processorSeconds(peer.pid) - before
      const list = measured.get(peer.name) ?? []
      list.push({
        ...figures,
        processorMicros: used === null ? null : (used / figures.requests) * 1e6,
        memoryMiB: peer.pid === null ? null : residentMiB(peer.pid),
      })
      measured.set(peer.name, list)
    }
  }
  return measured
}

/** Every request of a workload must be answered without an error, or its speed says nothing. */
async function assertAnswers({ name, url }: Peer, workload: Workload): Promise<void> {
  for (const { request } of workload.requests) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: bodyOf(request),
    })
    const text = await response.text()
    const answers = [JSON.parse(text)].flat() as { result?: unknown; error?: unknown }[]
    const failed = answers.find(
      ({ result, error }) => error !== undefined || result === null || result === undefined,
    )
    if (failed !== undefined) {
      throw new Error(`${name} answers ${workload.name} with ${text.slice(0, 300)}`)
    }
  }
}

function toRows(workload: string, measured: Map<string, Measurement[]>): Row[] {
  const medians = [...measured].map(([peer, list]) => ({ peer, figures: median(list) }))
  const own = medians[0]?.figures
  return medians.map(({ peer, figures }) => ({
    work: workload,
    node: peer,
    'requests/s': Math.round(figures.requestsPerSecond),
    'p50 ms': figures.p50,
    'p99 ms': figures.p99,
    'p99.9 ms': figures.p999,
    'CPU µs/request': figures.processorMicros ?? '',
    'memory MiB': figures.memoryMiB === null ? '' : Math.round(figures.memoryMiB),
    failures: figures.failures,
    'ratio by requests/s': own === undefined ? '' : own.requestsPerSecond / figures.requestsPerSecond,
    'ratio by CPU':
      own?.processorMicros == null || figures.processorMicros === null
        ? ''
        : figures.processorMicros / own.processorMicros,
  }))
}

function median(list: readonly Measurement[]): Measurement {
  const sorted = list.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond)
  return sorted[Math.floor(sorted.length / 2)] as Measurement
}
