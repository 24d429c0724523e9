import t from 'tap'
import { killSyncs } from './killSync.ts'

const RUNS = 6
/** Few enough that some kills come at the tip. */
const BLOCKS = 600

// A start of a node per kill, on a machine that may be busy.
t.setTimeout(600_000)

t.test('nodes killed while they synchronise and follow the tip lose nothing and go on', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  t.comment(`seed ${seed}`)
  const report = await killSyncs({
    runs: RUNS,
    seed,
    blocks: BLOCKS,
    onRun: (run) => t.comment(JSON.stringify(run)),
  })
  t.equal(report.killed, RUNS)
  t.ok(report.directories > 0)
})
