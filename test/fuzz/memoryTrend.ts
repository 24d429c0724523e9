import type { ProcessMemory } from './processMemory.ts'

/** Memory of the node after so many requests, bytes. */
export interface MemorySample extends ProcessMemory {
  readonly requests: number
  /** JavaScript objects of the front thread. */
  readonly heap: number
}

/** How one figure went after the warm-up. */
export interface MemoryTrend {
  readonly name: string
  /** Median of the first and of the last third of the samples after the warm-up. */
  readonly early: number
  readonly late: number
  /** Bytes per request, by the median of the slopes between all samples. */
  readonly slope: number
  /** What the slope makes of all requests after the warm-up, bytes. */
  readonly growth: number
}

/** Share of a run in which caches and heaps come to their size; a leak goes on behind it. */
const WARM_UP = 0.25
/**
 * Growth after the warm-up that is taken for a leak, bytes: caches that have not seen everything yet and pages
 * that the collector has not given back move by less. Of the heap, which has no such pages, less.
 */
const MAX_GROWTH = { resident: 192, own: 96, heap: 24 } as const
/** What a node of these settings may hold of its own in all, MiB. */
const MAX_OWN = 1536
const MIB = 1024 * 1024
const FIGURES = ['resident', 'own', 'heap'] as const

/** Trends of samples that were taken at equal distances. */
export function memoryTrends(samples: readonly MemorySample[]): MemoryTrend[] {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP))
  const third = Math.max(1, Math.floor(warm.length / 3))
  const span = (warm.at(-1)?.requests ?? 0) - (warm[0]?.requests ?? 0)
  return FIGURES.map((name) => {
    const values = warm.map((sample) => sample[name])
    const slope = medianSlope(warm.map((sample) => [sample.requests, sample[name]]))
    return {
      name,
      early: median(values.slice(0, third)),
      late: median(values.slice(-third)),
      slope,
      growth: slope * span,
    }
  })
}

/** What is wrong with the size of the memory in a run, or null. */
export function faultOfSize(samples: readonly MemorySample[]): string | null {
  const most = Math.max(...samples.map(({ own }) => own))
  return most > MAX_OWN * MIB ? `memory is over its bound: ${inMib(most)}` : null
}

/** What is wrong with the memory of a long run, or null. Both the slope and the medians must say that it grows. */
export function faultOfMemory(samples: readonly MemorySample[]): string | null {
  const size = faultOfSize(samples)
  if (size !== null) return size
  const grown = memoryTrends(samples).find(({ name, early, late, growth }) => {
    const bound = MAX_GROWTH[name as keyof typeof MAX_GROWTH] * MIB
    return growth > bound && late - early > (bound * 2) / 3
  })
  return grown === undefined ? null : `memory grows: ${trendText(grown)}`
}

/** One line for people. */
export function trendText({ name, early, late, slope, growth }: MemoryTrend): string {
  return (
    `${name}: median ${inMib(early)} after the warm-up, ${inMib(late)} at the end; ` +
    `slope ${slope.toFixed(1)} bytes per request, ${inMib(growth)} over the run`
  )
}

function inMib(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`
}

/** Theil and Sen's estimate: a few peaks do not move it. */
function medianSlope(points: readonly (readonly [number, number])[]): number {
  const slopes = points.flatMap(([x, y], index) =>
    points.slice(index + 1).map(([otherX, otherY]) => (otherX === x ? 0 : (otherY - y) / (otherX - x))),
  )
  return median(slopes)
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
