import t from 'tap'
import type { SimFaults } from '../../support/fleet/simFaults.ts'
import { simulate, simulateBacklog } from '../../support/fleet/simFleet.ts'

/** Time with disturbances in a run, milliseconds of the simulation. */
const TIME = 40_000
/** Runs without a fault: each other seed has other members, clocks, delays and disturbances. */
const RUNS = 24
/** Runs in which a planted fault has to show. */
const MOST_RUNS = 150

const membersOf = (seed: number) => 2 + (seed % 4)

t.test(
  'no request that begins after another one ended sees an older head, and nothing stays stuck',
  async (t) => {
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const { violations, stuck, notes, answered, asked, moves } = await simulate({
        seed,
        members: membersOf(seed),
        milliseconds: TIME,
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

const PLANTED: readonly (keyof SimFaults)[] = [
  'holdNotAwaited',
  'headNotAwaited',
  'leaseIgnored',
  'leaseOverEarly',
  'holdEndsByItself',
  'unnamedServes',
  'answersNotAwaited',
  'difficultyIgnored',
  'endNotWritten',
  'endForgotten',
  'leavingIsStopped',
  'noCompareAndSet',
  'startForgotten',
]

for (const fault of PLANTED) {
  t.test(`the checker finds what happens without a rule: ${fault}`, async (t) => {
    for (let seed = 1; seed <= MOST_RUNS; seed += 1) {
      const { violations } = await simulate({
        seed,
        members: membersOf(seed),
        milliseconds: TIME,
        faults: { [fault]: true },
      })
      if (violations.length === 0) continue
      t.pass(`seed ${seed}: ${violations[0]}`)
      return
    }
    t.fail('nothing was found')
  })
}
