import type { SubmissionResult } from '../../mining/interface.ts'
import type { Metrics } from '../../observe/metrics.ts'

/** Upper bounds of the age of work at submission, seconds: blocks come every half minute. */
const AGE_BUCKETS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600]

/** Ends that a faster pool, or a faster node, would have turned into a best block. */
const STALE: ReadonlySet<SubmissionResult> = new Set(['imported_not_best', 'unknown_work', 'no_parent'])

/** Figures of merged mining for operators. */
export interface MiningMetrics {
  workBuilt(): void
  /** @param age seconds since the work was built; null for an unknown one */
  solutionSubmitted(result: SubmissionResult, age: number | null): void
}

/**
 * Declares the metrics of merged mining.
 * @param hashrate hashes per second that miners reported
 */
export function createMiningMetrics(metrics: Metrics, hashrate: () => bigint): MiningMetrics {
  const works = metrics.counter({ name: 'mining_works_built_total', help: 'Works built for miners.' })
  const submissions = metrics.counter({
    name: 'mining_submissions_total',
    help: 'Solutions that came from miners, by what became of them.',
    labels: ['result'],
  })
  const age = metrics.histogram({
    name: 'mining_work_age_seconds',
    help: 'Age of the work at the submission of its solution.',
    buckets: AGE_BUCKETS,
  })
  let all = 0
  let stale = 0
  metrics.gauge({
    name: 'mining_stale_submissions_ratio',
    help: 'Share of the solutions that came too late to make a best block.',
    collect: (gauge) => gauge.set(all === 0 ? 0 : stale / all),
  })
  metrics.gauge({
    name: 'mining_reported_hashrate_number',
    help: 'Hashes per second that miners reported.',
    collect: (gauge) => gauge.set(Number(hashrate())),
  })
  return {
    workBuilt: () => works.inc(),
    solutionSubmitted: (result, seconds) => {
      all += 1
      if (STALE.has(result)) stale += 1
      submissions.inc({ result })
      if (seconds !== null) age.observe(seconds)
    },
  }
}
