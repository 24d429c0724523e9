import { parseArgs } from 'node:util'
import { unpackedVector } from '../support/vectors.ts'
import { killImports } from './killImport.ts'
import { killNodes } from './killNode.ts'
import { killPruned } from './killPruned.ts'
import { killSyncs } from './killSync.ts'

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
    /** Nodes that are killed while they follow another one, besides `runs`. */
    syncs: { type: 'string', default: '0' },
    /** Nodes that are killed while they give old states up, besides `runs`. */
    pruned: { type: 'string', default: '0' },
    file: { type: 'string', default: unpackedVector('consensus/remasc-long.jsonl') },
  },
})
const seed = Number(values.seed)
const runs = Number(values.runs)
const syncs = Number(values.syncs)
const imports = values.imports === undefined ? Math.floor(runs / 5) : Number(values.imports)
console.log(
  `seed ${seed}: ${runs - imports} nodes and ${imports} imports of ${values.file} to kill, ${syncs} nodes that follow another one`,
)
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
if (syncs > 0) {
  const report = await killSyncs({
    runs: syncs,
    seed,
    onRun: ({ run, delay, starting, target, told, height }) =>
      console.log(
        `sync ${run}: killed ${starting ? 'while it started, ' : ''}after ${delay} ms, at ${height} of ${target}, it had told ${told}`,
      ),
  })
  console.log(
    `${report.killed} nodes killed while they followed another one, ${report.behind} of them behind it and ` +
      `${report.atTip} at its head, in ${report.directories} directories: every check clean, every head that was told is there, ` +
      'each directory came to the head',
  )
}
const pruned = Number(values.pruned)
if (pruned > 0) {
  const last = await killPruned({
    runs: pruned,
    seed,
    onRun: ({ run, delay, mode, height, firstValues, firstState }) =>
      console.log(
        `pruned ${run}: ${mode}, killed after ${delay} ms; ${height} blocks before, values from ${firstValues}, tries from ${firstState}`,
      ),
  })
  console.log(
    `${pruned} nodes killed that give old states up: every check clean, every balance there; ` +
      `${last.height} blocks, values from ${last.firstValues}, tries from ${last.firstState}`,
  )
}
