import { availableParallelism } from 'node:os'
import type { Row } from '../report/results.ts'
import { CACHE_OFF, type ClosedLoopResult } from './closedLoop.ts'
import type { Measurement } from './contender.ts'
import { RECORDED_SPEEDS } from './recordedSpeeds.ts'
import { TARGETS } from './targets.ts'

/** Share of one processor above which the generator, which has one thread, limits the speed. */
const GENERATOR_LIMIT = 0.9
/** Share of all processors above which node and generator take them from each other. */
const MACHINE_LIMIT = 0.9
const PROCESSORS = availableParallelism()

/** A table of one row per workload: ratios of this node to each peer, with what they should be. */
export function ratioRows(results: readonly ClosedLoopResult[], own: string): Row[] {
  const peers = [...new Set(results.flatMap(({ medians }) => Object.keys(medians)))].filter(
    (name) => name !== own && name !== CACHE_OFF,
  )
  const hasCacheOff = results.some(({ medians }) => medians[CACHE_OFF] !== undefined)
  return results.map(({ workload, medians, refusals }) => {
    const ours = medians[own]
    const targets = TARGETS[workload] as Readonly<Record<string, number | string | undefined>> | undefined
    const cells: Record<string, string | number> = {}
    const ratios = (from: Measurement | undefined, label: string) => {
      for (const peer of peers) {
        const target = targets?.[peer === 'rskj' || peer === 'RSKj' ? 'rskj' : peer]
        cells[`${label} / ${peer}`] =
          refusals[peer] === undefined ? cellOf(ratioOf(from, medians[peer]), target) : 'refused'
      }
    }
    ratios(ours, own)
    if (hasCacheOff) ratios(medians[CACHE_OFF], 'cache off')
    if (!peers.some((peer) => peer.toLowerCase() === 'rskj')) {
      cells[`${own} / RSKj (scaled)`] = cellOf(
        scaledRatio(workload, ours, medians['anvil']),
        targets?.['rskj'],
      )
    }
    return { work: workload, 'requests/s': Math.round(ours?.requestsPerSecond ?? 0), ...cells }
  })
}

interface Ratio {
  /** Value that is compared with the target. */
  readonly value: number
  /** Of processor time per request, where the generator limits one of the two; else null, and requests/s count. */
  readonly processor: { readonly ofRequests: number } | null
}

function ratioOf(ours: Measurement | undefined, theirs: Measurement | undefined): Ratio | null {
  if (ours === undefined || theirs === undefined) return null
  const ofRequests = ours.requestsPerSecond / theirs.requestsPerSecond
  if (ours.processorMicros === null || theirs.processorMicros === null)
    return { value: ofRequests, processor: null }
  if (!isLimitedByGenerator(ours) && !isLimitedByGenerator(theirs))
    return { value: ofRequests, processor: null }
  return { value: theirs.processorMicros / ours.processorMicros, processor: { ofRequests } }
}

/** Whether more could have been answered with another machine for the generator: it, or the machine, was full. */
export function isLimitedByGenerator({
  processorSeconds,
  processorMicros,
  requestsPerSecond,
  seconds,
}: Measurement): boolean {
  const generator = processorSeconds / seconds
  const node = ((processorMicros ?? 0) * requestsPerSecond) / 1e6
  return generator > GENERATOR_LIMIT || (generator + node) / PROCESSORS > MACHINE_LIMIT
}

/**
 * RSKj is not measured here: its recorded speed, scaled by the ratio of anvil's present speed to that of the
 * same record.
 */
function scaledRatio(
  workload: string,
  ours: Measurement | undefined,
  anvil: Measurement | undefined,
): Ratio | null {
  const recorded = RECORDED_SPEEDS[TARGETS[workload]?.recorded ?? '']
  if (recorded === undefined || ours === undefined || anvil === undefined) return null
  const rskj = (recorded.rskj * anvil.requestsPerSecond) / recorded.anvil
  return { value: ours.requestsPerSecond / rskj, processor: null }
}

function cellOf(ratio: Ratio | null, target: number | string | undefined): string {
  if (ratio === null) return target === undefined ? '' : `open (≥ ${target})`
  const { value, processor } = ratio
  const text =
    processor === null ? shown(value) : `${shown(value)} CPU (${shown(processor.ofRequests)} of requests/s)`
  if (typeof target !== 'number') return text
  return `${text} (≥ ${target} ${value >= target ? 'met' : '**not met**'})`
}

function shown(ratio: number): string {
  return String(ratio >= 100 ? Math.round(ratio) : ratio.toPrecision(3))
}

/** One row per workload and node with all measurements. */
export function figureRows(results: readonly ClosedLoopResult[], own: string): Row[] {
  return results.flatMap(({ workload, medians }) => {
    const ours = medians[own]
    return Object.entries(medians).map(([peer, stats]) => ({
      work: workload,
      node: peer,
      'requests/s': Math.round(stats.requestsPerSecond),
      'p50 ms': stats.p50,
      'p99 ms': stats.p99,
      'p99.9 ms': stats.p999,
      'CPU µs/request': stats.processorMicros ?? '',
      'generator µs/request': (stats.processorSeconds / stats.requests) * 1e6,
      'generator % of a core': Math.round((stats.processorSeconds / stats.seconds) * 100),
      'node % of a core':
        stats.processorMicros === null
          ? ''
          : Math.round((stats.processorMicros * stats.requestsPerSecond) / 1e4),
      'generator limits': isLimitedByGenerator(stats) ? 'yes' : 'no',
      'memory MiB': stats.memoryMiB === null ? '' : Math.round(stats.memoryMiB),
      failures: stats.failures,
      'ratio by requests/s': ours === undefined ? '' : ours.requestsPerSecond / stats.requestsPerSecond,
      'ratio by CPU':
        ours?.processorMicros == null || stats.processorMicros === null
          ? ''
          : stats.processorMicros / ours.processorMicros,
    }))
  })
}
