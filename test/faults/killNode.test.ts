import t from 'tap'
import { killNodes } from './killNode.ts'

const RUNS = 4

t.test('nodes killed at random instants under everything at once keep what they acknowledged', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  t.comment(`seed ${seed}`)
  const report = await killNodes({ runs: RUNS, seed, onRun: (run) => t.comment(JSON.stringify(run)) })
  t.equal(report.killed, RUNS)
  t.ok(report.transactions > 0, `${report.transactions} transactions acknowledged`)
  t.ok(report.blocks > 0, `${report.blocks} blocks acknowledged`)
  t.ok(report.keys > 1, `${report.keys} keys made`)
  t.ok(report.requests > 0, `${report.requests} requests of keys shown`)
})
