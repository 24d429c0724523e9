import type { Row } from '../report/results.ts'
import { CACHE_OFF, type ClosedLoopResult } from './closedLoop.ts'
import type { Measurement } from './contender.ts'
import { RECORDED_SPEEDS } from './recordedSpeeds.ts'
import { TARGETS } from './targets.ts'

/** Share of one processor above which the generator, not the node, is taken for what limits the speed. */
const GENERATOR_LIMIT = 0.9

/** A table of one row per workload: ratios of this node to each peer, with what they should be. */
export function ratioRows(results: readonly ClosedLoopResult[], own: string): Row[] {
  const peers = [...new Set(results.flatMap(({ medians }) => Object.keys(medians)))].filter(
    (name) => name !== own && name !== CACHE_OFF,
  )
  const hasCacheOff = results.some(({ medians }) => medians[CACHE_OFF] !== undefined)
  return results.map(({ workload, medians }) => {
    const ours = medians[own]
    const targets = TARGETS[workload] as Readonly<Record<string, number | string | undefined>> | undefined
    const cells: Record<string, string | number> = {}
    const ratios = (from: Measurement | undefined, label: string) => {
      for (const peer of peers) {
        const target = targets?.[peer === 'rskj' || peer === 'RSKj' ? 'rskj' : peer]
        cells[`${label} / ${peer}`] = cellOf(ratioOf(from, medians[peer]), target)
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
  readonly value: number
  /** Whether processor time per request was compared, because the generator was the limit. */
  readonly byProcessor: boolean
}

function ratioOf(ours: Measurement | undefined, theirs: Measurement | undefined): Ratio | null {
  if (ours === undefined || theirs === undefined) return null
  const limited = ours.processorSeconds / ours.seconds > GENERATOR_LIMIT
  if (limited && ours.processorMicros !== null && theirs.processorMicros !== null) {
    return { value: theirs.processorMicros / ours.processorMicros, byProcessor: true }
  }
  return { value: ours.requestsPerSecond / theirs.requestsPerSecond, byProcessor: false }
}

/** RSKj is not here: its recorded figure, scaled by what anvil does now beside its figure of that record. */
function scaledRatio(
  workload: string,
  ours: Measurement | undefined,
  anvil: Measurement | undefined,
): Ratio | null {
  const recorded = RECORDED_SPEEDS[TARGETS[workload]?.recorded ?? '']
  if (recorded === undefined || ours === undefined || anvil === undefined) return null
  const rskj = (recorded.rskj * anvil.requestsPerSecond) / recorded.anvil
  return { value: ours.requestsPerSecond / rskj, byProcessor: false }
}

function cellOf(ratio: Ratio | null, target: number | string | undefined): string {
  if (ratio === null) return target === undefined ? '' : `open (≥ ${target})`
  const value = `${ratio.value >= 100 ? Math.round(ratio.value) : ratio.value.toPrecision(3)}${ratio.byProcessor ? ' CPU' : ''}`
  if (typeof target !== 'number') return value
  return `${value} (≥ ${target} ${ratio.value >= target ? 'met' : '**not met**'})`
}

/** One row per workload and node: everything that was measured. */
export function figureRows(results: readonly ClosedLoopResult[], own: string): Row[] {
  return results.flatMap(({ workload, medians }) => {
    const ours = medians[own]
    return Object.entries(medians).map(([peer, figures]) => ({
      work: workload,
      node: peer,
      'requests/s': Math.round(figures.requestsPerSecond),
      'p50 ms': figures.p50,
      'p99 ms': figures.p99,
      'p99.9 ms': figures.p999,
      'CPU µs/request': figures.processorMicros ?? '',
      'generator µs/request': (figures.processorSeconds / figures.requests) * 1e6,
      'generator % of a core': Math.round((figures.processorSeconds / figures.seconds) * 100),
      'memory MiB': figures.memoryMiB === null ? '' : Math.round(figures.memoryMiB),
      failures: figures.failures,
      'ratio by requests/s': ours === undefined ? '' : ours.requestsPerSecond / figures.requestsPerSecond,
      'ratio by CPU':
        ours?.processorMicros == null || figures.processorMicros === null
          ? ''
          : figures.processorMicros / ours.processorMicros,
    }))
  })
}
