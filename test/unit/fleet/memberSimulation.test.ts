import t from 'tap'
import { LOSSES, PLANTED_FAULTS, PLANTED_LOSSES } from '../../support/fleet/simFaults.ts'
import { DISTURBED, membersOf, simulate, simulateBacklog } from '../../support/fleet/simFleet.ts'

/** Runs without a fault: each other seed has other members, clocks, delays and disturbances. */
const RUNS = 4
/** Runs in which the log loses its last heads. Without the heads that members have, some of these show it. */
const RUNS_WITH_LOSSES = [4, 12, 20]

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

t.test('no older head is seen after the log has lost its last ones', async (t) => {
  for (const seed of RUNS_WITH_LOSSES) {
    const { violations, stuck, notes, answered, asked } = await simulate({
      ...{ seed, members: membersOf(seed), milliseconds: DISTURBED },
      losses: LOSSES,
    })
    t.same(
      { violations, stuck },
      { violations: [], stuck: [] },
      `seed ${seed}: ${violations.length === 0 ? '' : notes.join('; ')}`,
    )
    t.ok(answered > asked / 4, `${answered} of ${asked} requests are answered`)
  }
})

t.test('the head moves while members that synchronise are far apart', async (t) => {
  const gaps: number[] = []
  for (const seed of [1, 2, 3, 4, 5]) {
    const { head, slowest } = await simulateBacklog(seed)
    t.ok(slowest > 100 && slowest < 200, `the slowest has ${slowest} blocks`)
    gaps.push(slowest - head)
  }
  // Blocks are far quicker here than the pause after a round that a late message had fail.
  const [, , median = Number.POSITIVE_INFINITY] = gaps.toSorted((left, right) => left - right)
  t.ok(median < 50, `the head is ${gaps} blocks behind the slowest`)
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

for (const [fault, seed] of PLANTED_LOSSES) {
  t.test(`the checker finds what a lost head does without a rule: ${fault}`, async (t) => {
    const { violations } = await simulate({
      ...{ seed, members: membersOf(seed), milliseconds: DISTURBED },
      ...{ faults: { [fault]: true }, losses: LOSSES },
    })
    t.ok(violations.length > 0, violations[0] ?? 'another seed may find it: test/fleet/simulation/main.ts')
  })
}
