const SAMPLE = /^rhizome_mining_(\w+?)(?:\{(\w+)="([^"]*)"\})? (\S+)$/gm

/** A sample of the metrics of merged mining. */
interface Sample {
  readonly name: string
  /** Value of its one label; empty without one. */
  readonly label: string
  readonly value: number
}

/**
 * Formats the stats of merged mining, with a label each.
 * @param metrics Prometheus text of a node (`node/metrics/miningMetrics.ts`)
 * @throws Error when the text has none
 */
export function miningStats(metrics: string): [string, string][] {
  const samples = [...metrics.matchAll(SAMPLE)].map(
    ([, name = '', , label = '', value = '']): Sample => ({ name, label, value: Number(value) }),
  )
  const value = (name: string) => samples.find((sample) => sample.name === name)?.value ?? 0
  if (!samples.some(({ name }) => name === 'works_built_total')) {
    throw new Error('the metrics of the node say nothing of merged mining')
  }
  const results = samples.filter(({ name }) => name === 'submissions_total')
  const aged = value('work_age_seconds_count')
  return [
    ['works built', String(value('works_built_total'))],
    ['submissions', results.map(({ label, value }) => `${label} ${value}`).join(', ') || 'none'],
    ['stale', `${(value('stale_submissions_ratio') * 100).toFixed(1)} %`],
    [
      'age of work',
      aged === 0 ? 'unknown' : `${(value('work_age_seconds_sum') / aged).toFixed(1)} s on average`,
    ],
  ]
}
