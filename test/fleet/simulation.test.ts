import t from 'tap'
import { TestBuild } from '../support/testBuild.ts'
import { PLANTED_FAULTS } from './simulation/plantedFaults.ts'
import { findPlanted } from './simulation/plantedRuns.ts'
import { loadModules } from './simulation/simModules.ts'
import { simulate } from './simulation/simulate.ts'

/** Each scenario twice; `test/fleet/simulation/main.ts` runs more. */
const RUNS = 12
/** Runs in which a planted fault has to show. */
const MAX_RUNS = 24

t.test('members keep the rules, whatever befalls them', { timeout: 300_000 }, async (t) => {
  const modules = await loadModules()
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const { violations, counts } = await simulate(seed, modules)
    t.same(violations, [], `seed ${seed}`)
    for (const kind of ['adopted', 'acknowledged', 'read', 'polled'])
      t.ok((counts[kind] ?? 0) > 20, `${counts[kind]} ${kind}`)
  }
})

t.test('the checker finds a fault of each rule', { timeout: 600_000 }, async (t) => {
  const build = await TestBuild.create()
  t.teardown(() => build.remove())
  for (const fault of PLANTED_FAULTS) {
    const found = await findPlanted(build, fault, { first: 1, most: MAX_RUNS })
    t.ok(found !== null, `${fault.name}: ${found?.what}`)
  }
})
