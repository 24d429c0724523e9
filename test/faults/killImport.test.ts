import t from 'tap'
import { unpackedVector } from '../support/vectors.ts'
import { killImports } from './killImport.ts'

const RUNS = 10

t.test('imports killed at random instants lose nothing and go on', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  t.comment(`seed ${seed}`)
  const report = await killImports({ file: unpackedVector('rpc/chain-main.jsonl'), runs: RUNS, seed })
  t.equal(report.runs.length, RUNS)
  t.ok(report.killed > 0, `${report.killed} killed, ${report.finished} times the whole chain`)
})
