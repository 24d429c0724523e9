import { parseArgs } from 'node:util'
import { TestBuild } from '../../support/testBuild.ts'
import { traceOf } from './history.ts'
import { PLANTED_FAULTS } from './plantedFaults.ts'
import { findPlanted } from './plantedRuns.ts'
import { loadModules } from './simModules.ts'
import { simulate } from './simulate.ts'

/** The long form of test/fleet/simulation.test.ts: ends with 1 where a run breaks a rule or a planted fault is not found. */
const { values } = parseArgs({
  options: {
    /** Runs without a fault of the program. */
    runs: { type: 'string', default: '500' },
    /** First seed. */
    seed: { type: 'string', default: '1' },
    /** Most runs in which a planted fault has to show; 0 leaves them out. */
    planted: { type: 'string', default: '60' },
    /** Words in the names of planted faults; all unless given. */
    only: { type: 'string', default: '' },
    /** Prints which member executed, heard and adopted what, and when. */
    trace: { type: 'boolean', default: false },
  },
})
const first = Number(values.seed)
const print = (text: string) => process.stdout.write(`${text}\n`)
const modules = await loadModules()
const sums: Record<string, number> = {}
let wrong = 0
for (let seed = first; seed < first + Number(values.runs); seed += 1) {
  const { violations, counts, history } = await simulate(seed, modules)
  if (values.trace) for (const line of traceOf(history)) print(line)
  for (const [kind, count] of Object.entries(counts)) sums[kind] = (sums[kind] ?? 0) + count
  if (violations.length > 0) wrong += 1
  for (const { rule, at, what } of violations.slice(0, 5))
    print(`seed ${seed}, ${Math.round(at)} ms: rule ${rule}: ${what}`)
}
print(`${values.runs} runs from seed ${first}: ${wrong} with a violation`)
print(
  Object.entries(sums)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', '),
)
if (Number(values.planted) > 0) {
  const build = await TestBuild.create()
  try {
    for (const fault of PLANTED_FAULTS.filter(({ name }) => name.includes(values.only))) {
      const found = await findPlanted(build, fault, { first, most: Number(values.planted) })
      if (found === null) wrong += 1
      print(`${fault.name}: ${found === null ? 'NOT FOUND' : `seed ${found.seed}, rule ${found.what}`}`)
    }
  } finally {
    build.remove()
  }
}
process.exitCode = wrong === 0 ? 0 : 1
