import t from 'tap'
import { REGTEST } from '../support/openTestChain.ts'
import { unpackedVector } from '../support/vectors.ts'
import { flipBits } from './flipBits.ts'

/**
 * Bits of each store; `FLIPS` and `SEED` in the environment look at others. More than 100 need more processes: each
 * store that was opened keeps addresses of the process.
 */
const FLIPS = Number(process.env['FLIPS'] ?? 30)
const SEED = Number(process.env['SEED'] ?? 1)

// The file as a whole has the same time, for runs over many bits.
t.setTimeout(1_800_000)

t.test('a bit that is turned over is found, or does nothing', { timeout: 1_800_000 }, async (t) => {
  const report = await flipBits({
    spec: REGTEST,
    blocks: unpackedVector('rpc/chain-main.jsonl'),
    folder: t.testdir(),
    flips: FLIPS,
    seed: SEED,
  })
  t.comment(JSON.stringify(report))
  t.same(report.missed, [])
  t.equal(report.refused + report.found + report.harmless, 2 * FLIPS)
  t.ok(report.found > 0 && report.refused > 0)
})
