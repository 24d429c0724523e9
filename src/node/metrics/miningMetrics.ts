import type { SubmissionResult } from '../../mining/interface.ts'
import type { Metrics } from '../../observe/metrics.ts'

/** Upper bounds of the age of work at submission, seconds: blocks come every half minute. */
const AGE_BUCKETS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600]

/** Results of solutions that came too late to become the best block. */
const STALE: ReadonlySet<SubmissionResult> = new Set(['imported_not_best', 'unknown_work', 'no_parent'])

/** Metrics of merged mining. */
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
  const works = metrics.counter({ name: 'mining_works_built_total', help: 'Work items built for miners.' })
  const submissions = metrics.counter({
    name: 'mining_submissions_total',
    help: 'Solutions submitted by miners, by result.',
    labels: ['result'],
  })
  const age = metrics.histogram({
    name: 'mining_work_age_seconds',
    help: 'Age of the work when its solution was submitted.',
    buckets: AGE_BUCKETS,
  })
  let all = 0
  let stale = 0
  metrics.gauge({
    name: 'mining_stale_submissions_ratio',
    help: 'Share of the solutions that came too late to become the best block.',
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
