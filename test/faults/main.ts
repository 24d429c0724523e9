import { parseArgs } from 'node:util'
import { unpackedVector } from '../support/vectors.ts'
import { killImports } from './killImport.ts'
import { killNodes } from './killNode.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    /** Instants of each node at which it is stopped and judged as if it were killed, besides the kill. */
    instants: { type: 'string', default: '0' },
    /** Longest load before a node is killed, milliseconds. */
    longest: { type: 'string', default: '3000' },
    /** Of `runs`, those that kill an import in place of a node. */
    imports: { type: 'string' },
    file: { type: 'string', default: unpackedVector('consensus/remasc-long.jsonl') },
  },
})
const seed = Number(values.seed)
const runs = Number(values.runs)
const imports = values.imports === undefined ? Math.floor(runs / 5) : Number(values.imports)
console.log(`seed ${seed}: ${runs - imports} nodes and ${imports} imports of ${values.file} to kill`)
if (imports < runs) {
  const report = await killNodes({
    runs: runs - imports,
    seed,
    instants: Number(values.instants),
    longest: Number(values.longest),
    onRun: ({ run, delay, starting, mode, instants, transactions, blocks, keys, requests, height }) =>
      console.log(
        `${run}: killed ${starting ? `while it started, after ${delay} ms` : `after ${delay} ms of load`}, ` +
          `${mode}; ${instants} other instants; acknowledged so far ${transactions} transactions, ${blocks} blocks, ${keys} keys, ${requests} requests of keys; ${height} canonical`,
      ),
  })
  console.log(
    `${report.killed} nodes killed, and judged at ${report.instants} other instants, in ${report.directories} directories: every check clean, ` +
      `${report.transactions} transactions, ${report.blocks} blocks, ${report.keys} keys and ${report.requests} requests of keys acknowledged, all there`,
  )
}
if (imports > 0) {
  const report = await killImports({
    file: values.file,
    runs: imports,
    seed,
    onRun: ({ run, delay, commitEvery, killed, blocks }) =>
      console.log(
        `import ${run}: ${killed ? `killed after ${delay} ms` : 'ended by itself'}, commit every ${commitEvery}, ${blocks} blocks`,
      ),
  })
  console.log(
    `${report.runs.length} imports, ${report.killed} killed, ${report.advanced} of them with progress, ` +
      `${report.finished} times the whole chain: every check clean`,
  )
}
