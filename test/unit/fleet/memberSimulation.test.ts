import t from 'tap'
import { PLANTED_FAULTS } from '../../support/fleet/simFaults.ts'
import { DISTURBED, membersOf, simulate, simulateBacklog } from '../../support/fleet/simFleet.ts'

/** Runs without a fault: each other seed has other members, clocks, delays and disturbances. */
const RUNS = 4

t.test(
  'no request that begins after another one ended sees an older head, and nothing stays stuck',
  async (t) => {
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const { violations, stuck, notes, answered, asked, moves } = await simulate({
        seed,
        members: membersOf(seed),
        milliseconds: DISTURBED,
      })
      t.same(
        { violations, stuck },
        { violations: [], stuck: [] },
        `seed ${seed}: ${violations.length === 0 ? '' : notes.join('; ')}`,
      )
      t.ok(moves > 20 && answered > asked / 3, 'most of the time the fleet serves, and its head moves')
    }
  },
)

t.test('the head moves while members that synchronise are far apart', async (t) => {
  for (const seed of [1, 2, 3]) {
    const { head, slowest } = await simulateBacklog(seed)
    t.ok(slowest > 100 && slowest < 200, `the slowest has ${slowest} blocks`)
    t.ok(head > slowest - 50, `the head is block ${head}`)
  }
})

for (const [fault, seed] of PLANTED_FAULTS) {
  t.test(`the checker finds what happens without a rule: ${fault}`, async (t) => {
    const { violations } = await simulate({
      seed,
      members: membersOf(seed),
      milliseconds: DISTURBED,
      faults: { [fault]: true },
    })
    t.ok(violations.length > 0, violations[0] ?? 'another seed may find it: test/fleet/simulation/main.ts')
  })
}
