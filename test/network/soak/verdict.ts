/** The node under test at an instant. */
export interface Sample {
  readonly seconds: number
  /** Resident memory without files behind it. */
  readonly ownMiB: number
  readonly descriptors: number
  readonly threads: number
  readonly processorSeconds: number
  readonly peers: number
  readonly height: number
  /** Connections of visitors so far. */
  readonly visits: number
}

/** What the samples of a soak say. */
export interface SoakVerdict {
  readonly samples: readonly Sample[]
  /** Medians of the third and the last quarter: the first half is warm-up. */
  readonly ownMiB: readonly [number, number]
  readonly descriptors: readonly [number, number]
  readonly threads: readonly [number, number]
  readonly grows: boolean
}

/** Growth between the quarters that is noise of the garbage collector: part of the memory and MiB. */
const NOISE_PART = 0.05
const NOISE_MIB = 16
/** Descriptors and threads come and go with peers. */
const NOISE_COUNT = 8

/** Compares the last quarter of a soak with the one before. */
export function soakVerdict(samples: readonly Sample[]): SoakVerdict {
  const quarter = Math.floor(samples.length / 4)
  const last = samples.slice(samples.length - quarter)
  const before = samples.slice(samples.length - 2 * quarter, samples.length - quarter)
  const pair = (of: (sample: Sample) => number) => [median(before.map(of)), median(last.map(of))] as const
  const ownMiB = pair((sample) => sample.ownMiB)
  const descriptors = pair((sample) => sample.descriptors)
  const threads = pair((sample) => sample.threads)
  const grows =
    ownMiB[1] > ownMiB[0] * (1 + NOISE_PART) + NOISE_MIB ||
    descriptors[1] > descriptors[0] + NOISE_COUNT ||
    threads[1] > threads[0] + NOISE_COUNT
  return { samples, ownMiB, descriptors, threads, grows }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
