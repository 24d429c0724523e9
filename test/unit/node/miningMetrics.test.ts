import t from 'tap'
import { miningStats } from '../../../src/cli/miningStats.ts'
import { createMiningMetrics } from '../../../src/node/metrics/miningMetrics.ts'
import { createMetrics } from '../../../src/observe/metrics.ts'

function openMetrics(hashrate = 0n) {
  const metrics = createMetrics()
  return { mining: createMiningMetrics(metrics, () => hashrate), text: () => metrics.registry.metrics() }
}

t.test('works, submissions by result, age of work, stale ratio and hash rate', async (t) => {
  const { mining, text } = openMetrics(16_000n)
  for (let count = 0; count < 3; count += 1) mining.workBuilt()
  mining.solutionSubmitted('imported_best', 0.5)
  mining.solutionSubmitted('imported_best', 4)
  mining.solutionSubmitted('imported_not_best', 40)
  mining.solutionSubmitted('unknown_work', null)
  mining.solutionSubmitted('exist', 4)
  mining.solutionSubmitted('invalid_proof', 1.5)
  mining.solutionSubmitted('malformed', null)
  mining.solutionSubmitted('rate_limited', null)
  const found = await text()
  for (const line of [
    'rhizome_mining_works_built_total 3',
    'rhizome_mining_submissions_total{result="imported_best"} 2',
    'rhizome_mining_submissions_total{result="unknown_work"} 1',
    'rhizome_mining_stale_submissions_ratio 0.25',
    'rhizome_mining_reported_hashrate_number 16000',
    'rhizome_mining_work_age_seconds_count 5',
    'rhizome_mining_work_age_seconds_sum 50',
    'rhizome_mining_work_age_seconds_bucket{le="5"} 4',
  ]) {
    t.ok(found.split('\n').includes(line), line)
  }
  t.same(miningStats(found), [
    ['works built', '3'],
    [
      'submissions',
      'imported_best 2, imported_not_best 1, unknown_work 1, exist 1, invalid_proof 1, malformed 1, rate_limited 1',
    ],
    ['stale', '25.0 %'],
    ['age of work', '10.0 s on average'],
  ])
})

t.test('a node that nobody mined on', async (t) => {
  const { text } = openMetrics()
  t.same(miningStats(await text()), [
    ['works built', '0'],
    ['submissions', 'none'],
    ['stale', '0.0 %'],
    ['age of work', 'unknown'],
  ])
  t.throws(() => miningStats('rhizome_chain_head_number 5\n'), /nothing of merged mining/)
})
