import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Endings that say the unit of a metric: seconds, bytes, a share, or a count that only grows. */
const UNIT_ENDINGS = ['_seconds', '_bytes', '_ratio', '_total', '_count', '_number', '_info'] as const

type MetricDescription<L extends string> = {
  /** Lower case with underscores, ends in a unit; `rhizome_` is put before it. */
  readonly name: string
  readonly help: string
  /** Names of labels; each must have few values. */
  readonly labels?: readonly L[]
}

/** Metrics of one thread. */
export type Metrics = {
  readonly registry: Registry
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
  return {
    registry,
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

function fullName(name: string, endings: readonly string[]): string {
  if (!/^[a-z][a-z0-9_]*$/.test(name) || !endings.some((ending) => name.endsWith(ending))) {
    throw new RangeError(
      `metric name ${name}: expected lower case with one of the endings ${endings.join(', ')}`,
    )
  }
  return `rhizome_${name}`
}
