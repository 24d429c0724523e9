import { parseArgs } from 'node:util'
import { vectorPath } from '../support/vectors.ts'
import { killImports } from './killImport.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    file: { type: 'string', default: vectorPath('consensus/remasc-long.jsonl') },
  },
})
const seed = Number(values.seed)
console.log(`seed ${seed}, ${values.runs} runs, ${values.file}`)
const report = await killImports({
  file: values.file,
  runs: Number(values.runs),
  seed,
  onRun: ({ run, delay, commitEvery, killed, blocks }) =>
    console.log(
      `${run}: ${killed ? `killed after ${delay} ms` : 'ended by itself'}, commit every ${commitEvery}, ${blocks} blocks`,
    ),
})
console.log(
  `${report.runs.length} runs, ${report.killed} killed, ${report.advanced} of them with progress, ` +
    `${report.finished} times the whole chain: every check clean`,
)
