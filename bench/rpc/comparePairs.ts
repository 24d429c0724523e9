/** Speeds of two builds that were measured one right after the other, requests per second. */
export interface SpeedPair {
  readonly before: number
  readonly after: number
}

/** Two builds on one workload, requests per second. */
export interface Comparison {
  /** Medians. */
  readonly before: number
  readonly after: number
  /** Geometric mean of after over before, and the interval in which it lies with 95 % confidence. */
  readonly ratio: number
  readonly low: number
  readonly high: number
}

/** Student's t for 95 %, two-sided, by degrees of freedom from 1. */
const T95 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086,
]
const T95_OF_MANY = 1.96

/** Compares measurements that were made in pairs. @param pairs at least two */
export function comparePairs(pairs: readonly SpeedPair[]): Comparison {
  const logarithms = pairs.map(({ before, after }) => Math.log(after / before))
  const mean = logarithms.reduce((sum, value) => sum + value, 0) / logarithms.length
  const squares = logarithms.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const deviation = Math.sqrt(squares / (logarithms.length - 1))
  const reach = ((T95[logarithms.length - 2] ?? T95_OF_MANY) * deviation) / Math.sqrt(logarithms.length)
  return {
    before: median(pairs.map(({ before }) => before)),
    after: median(pairs.map(({ after }) => after)),
    ratio: Math.exp(mean),
    low: Math.exp(mean - reach),
    high: Math.exp(mean + reach),
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
