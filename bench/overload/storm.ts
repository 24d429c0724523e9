import { setTimeout as sleep } from 'node:timers/promises'
import type { Generator, IdleStats, LoadStats, SecondStats } from '../load/generator.ts'
import { textOf } from '../rpc/requests.ts'
import { createWorkloads } from '../rpc/workloads.ts'
import { type Endpoint, OWNER } from './endpoint.ts'
import { MemoryWatch } from './memory.ts'
import type { OverloadOptions } from './options.ts'

/** No request of it comes twice, so that it is work and not a look into a response cache. */
export const MIX = 'traffic mix with distinct parameters'

const PEAK_CONNECTIONS = 64
const PEAK_SECONDS = 4
const PEAK_RUNS = 3
/** Seconds of the light load before and after the storm. */
const CALM_SECONDS = 6
/** Requests per second of the light load, and its connections. */
const PROBE_RATE = 300
const PROBE_CONNECTIONS = 16
const SECOND = 1000

/** p50 and p99 of a light load, milliseconds: medians of the seconds. */
export interface Latency {
  readonly p50: number
  readonly p99: number
}

export interface StormResult {
  /** Answers per second of the closed loop. */
  readonly peak: number
  readonly storm: LoadStats
  /** Requests per second that were due. */
  readonly offered: number
  /** Requests per second that were sent. */
  readonly sent: number
  /** Answers with a result per second. */
  readonly goodput: number
  readonly idle: IdleStats
  /** Mebibytes: before, with the idle WebSockets, the most in the storm, at its end, seconds after it. */
  readonly memory: {
    readonly before: number
    readonly idle: number
    readonly most: number
    readonly middle: number
    readonly end: number
    readonly after: number
  }
  /** A light load of another key: before, in the storm, in the second that begins a second after it, and later. */
  readonly probe: {
    readonly before: Latency
    readonly during: Latency
    readonly recovered: Latency
    readonly after: Latency
    readonly failures: number
  }
  /** Every second of the light load: when it began, in milliseconds from the start of the storm. */
  readonly probeSeconds: readonly (Latency & { readonly at: number })[]
  readonly memorySamples: MemoryWatch['samples']
}

/** Finds the peak of a mix of reads, then offers many times as much beside idle WebSockets and a light load. */
export async function measureStorm(
  endpoint: Endpoint,
  generator: Generator,
  { seconds, times, connections, sockets }: OverloadOptions,
): Promise<StormResult> {
  const workload = createWorkloads(endpoint.scene).find(({ name }) => name === MIX)
  if (workload === undefined) throw new Error(`no workload ${MIX}`)
  const requests = generator.write(workload.bodies().map(textOf))
  const peak = await findPeak(endpoint, generator, requests)
  const watch = new MemoryWatch(endpoint.pid)
  await sleep(SECOND)
  const before = watch.samples.at(-1)?.mebibytes ?? 0
  const idleSockets = await generator.idle(
    endpoint.socketUrl('idle'),
    sockets,
    textOf({ method: 'eth_chainId', params: [] }),
  )
  await sleep(SECOND)
  const withIdle = watch.samples.at(-1)?.mebibytes ?? 0
  // The generator may wait for late answers after the end.
  const length = CALM_SECONDS + seconds + 2 * CALM_SECONDS
  const probe = generator.load(endpoint.url('probe'), requests, {
    seconds: length,
    connections: PROBE_CONNECTIONS,
    rate: PROBE_RATE,
    timeline: true,
  })
  await sleep(CALM_SECONDS * SECOND)
  const rate = peak * times
  const storm = await generator.load(endpoint.url('storm'), requests, {
    seconds,
    connections,
    rate,
    drops: true,
    timeline: true,
  })
  const calm = await probe
  watch.stop()
  const idle = await idleSockets.finish()
  const start = storm.startedAt
  const end = start + seconds * SECOND
  const { results, refused, errors, broken, unanswered, dropped } = storm.outcomes
  const received = results + refused + errors + broken + unanswered
  const latencies = (from: number, to: number) => medianOf(secondsBetween(calm, from, to))
  return {
    peak,
    storm,
    offered: (received + dropped) / seconds,
    sent: received / seconds,
    goodput: results / seconds,
    idle,
    memory: {
      before,
      idle: withIdle,
      most: watch.between(start, end).most,
      middle: watch.between(start, (start + end) / 2).last,
      end: watch.between(start, end).last,
      after: watch.between(end, Number.POSITIVE_INFINITY).last,
    },
    probe: {
      before: latencies(calm.startedAt, start),
      during: latencies(start, end),
      recovered: latencies(end + SECOND, end + 2.99 * SECOND),
      after: latencies(end + SECOND, Number.POSITIVE_INFINITY),
      failures: calm.failures,
    },
    probeSeconds: calm.timeline.map(({ p50, p99 }, index) => ({
      at: Math.round(calm.startedAt + index * SECOND - start),
      p50,
      p99,
    })),
    memorySamples: watch.samples,
  }
}

/** The median of some closed loops, answers with a result per second. */
async function findPeak(endpoint: Endpoint, generator: Generator, requests: string): Promise<number> {
  const speeds: number[] = []
  for (let run = 0; run < PEAK_RUNS; run += 1) {
    const { outcomes } = await generator.load(endpoint.url(OWNER), requests, {
      seconds: PEAK_SECONDS,
      connections: PEAK_CONNECTIONS,
    })
    speeds.push(outcomes.results / PEAK_SECONDS)
  }
  return Math.round(speeds.toSorted((a, b) => a - b)[Math.floor(PEAK_RUNS / 2)] ?? 0)
}

/** Whole seconds of a timeline between two times, milliseconds since 1970. */
function secondsBetween({ startedAt, timeline }: LoadStats, from: number, to: number): SecondStats[] {
  return timeline.filter((second, index) => {
    const begin = startedAt + index * SECOND
    return begin >= from && begin + SECOND <= to && second.outcomes.results > 0
  })
}

function medianOf(seconds: readonly SecondStats[]): Latency {
  const of = (pick: (second: SecondStats) => number) =>
    seconds.map(pick).toSorted((a, b) => a - b)[Math.floor(seconds.length / 2)] ?? Number.NaN
  return { p50: of(({ p50 }) => p50), p99: of(({ p99 }) => p99) }
}
