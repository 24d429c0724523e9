import { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client'

/** Suffixes that denote the unit of a metric: seconds, bytes, a share, or a count that only grows. */
const UNIT_ENDINGS = ['_seconds', '_bytes', '_ratio', '_total', '_count', '_number', '_info'] as const

/** Prefix of the HELP text of a metric under its earlier name. */
export const DEPRECATED = 'Deprecated, renamed to '

type MetricDescription<L extends string> = {
  /** Lower case with underscores, ends in a unit; `rhizome_` is put before it. */
  readonly name: string
  readonly help: string
  /** Names of labels; each must have few values. */
  readonly labels?: readonly L[]
}

/** One sample of a metric that is counted elsewhere. */
export type Sample = {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** Distribution for one set of labels that is counted elsewhere. */
export type Distribution = {
  readonly labels: Readonly<Record<string, string>>
  /** Observations up to each upper bound and above the one before, then those above the last. */
  readonly counts: ArrayLike<number>
  readonly sum: number
}

/** Metrics of one thread. */
export type Metrics = {
  readonly registry: Registry
  /**
   * Numbers that are counted elsewhere and only read here, where a counter per event would be too expensive.
   */
  readonly samples: (
    description: MetricDescription<string> & {
      readonly type: 'counter' | 'gauge'
      readonly collect: () => readonly Sample[] | Promise<readonly Sample[]>
      /** Name before 0.2: the same samples are also exported under it, marked as deprecated. */
      readonly renamedFrom?: string
    },
  ) => void
  /** Distributions that are counted elsewhere. */
  readonly distributions: (
    description: MetricDescription<string> & {
      readonly buckets: readonly number[]
      readonly collect: () => readonly Distribution[]
    },
  ) => void
  /** A number that only grows; its name ends in `_total`. */
  readonly counter: <L extends string = never>(description: MetricDescription<L>) => Counter<L>
  /** A number that goes up and down; `collect` sets it when it is read. */
  readonly gauge: <L extends string = never>(
    description: MetricDescription<L> & { readonly collect?: (gauge: Gauge<L>) => void },
  ) => Gauge<L>
  /** A distribution with the given upper bounds. */
  readonly histogram: <L extends string = never>(
    description: MetricDescription<L> & { readonly buckets: readonly number[] },
  ) => Histogram<L>
}

/**
 * An empty registry of metrics. Every name must end in its unit.
 * @throws RangeError when a metric is declared whose name does not
 */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  // The library only uses these members of a metric, but declares its own classes.
  const register = (metric: ReadMetric) => registry.registerMetric(metric as unknown as Metric)
  return {
    registry,
    samples: ({ name, help, type, collect, renamedFrom }) => {
      const endings = type === 'counter' ? ['_total'] : UNIT_ENDINGS
      const declare = (full: string, text: string) =>
        register({ name: full, get: async () => ({ name: full, help: text, type, values: await collect() }) })
      const full = fullName(name, endings)
      declare(full, help)
      if (renamedFrom !== undefined) {
        declare(fullName(renamedFrom, endings), `${DEPRECATED}${full} until 0.2. ${help}`)
      }
    },
    distributions: ({ name, help, buckets, collect }) => {
      const full = fullName(name, UNIT_ENDINGS)
      const values = () => collect().flatMap((distribution) => histogramSamples(full, buckets, distribution))
      register({
        name: full,
        get: async () => ({ name: full, help, type: 'histogram' as const, values: values() }),
      })
    },
    counter: ({ name, help, labels = [] }) =>
      new Counter({ name: fullName(name, ['_total']), help, labelNames: [...labels], registers }),
    gauge: ({ name, help, labels = [], collect }) =>
      new Gauge({
        name: fullName(name, UNIT_ENDINGS),
        help,
        labelNames: [...labels],
        registers,
        ...(collect === undefined
          ? {}
          : {
              collect() {
                collect(this)
              },
            }),
      }),
    histogram: ({ name, help, labels = [], buckets }) =>
      new Histogram({
        name: fullName(name, UNIT_ENDINGS),
        help,
        labelNames: [...labels],
        buckets: [...buckets],
        registers,
      }),
  }
}

/** The members of a metric that the library uses for the text format. */
type ReadMetric = {
  readonly name: string
  readonly get: () => Promise<{
    readonly name: string
    readonly help: string
    readonly type: 'counter' | 'gauge' | 'histogram'
    readonly values: readonly (Sample & { readonly metricName?: string })[]
  }>
}

function histogramSamples(
  name: string,
  buckets: readonly number[],
  { labels, counts, sum }: Distribution,
): (Sample & { readonly metricName: string })[] {
  let count = 0
  const samples = [...buckets.map(String), '+Inf'].map((le, index) => {
    count += counts[index] ?? 0
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
  })
  return [
    ...samples,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

function fullName(name: string, endings: readonly string[]): string {
  if (!/^[a-z][a-z0-9_]*$/.test(name) || !endings.some((ending) => name.endsWith(ending))) {
    throw new RangeError(
      `metric name ${name}: expected lower case with one of the endings ${endings.join(', ')}`,
    )
  }
  return `rhizome_${name}`
}
