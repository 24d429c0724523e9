import t from 'tap'
import { NATS_SKIP } from '../../support/natsServer.ts'
import { TestBuild } from '../../support/testBuild.ts'
import { describeEntry } from '../checker/violation.ts'
import { runRounds } from './rounds.ts'

const SEED = 21

t.test('clients of a fleet that is disturbed see one service', { skip: NATS_SKIP }, async (t) => {
  const build = await TestBuild.create()
  t.teardown(() => build.remove())
  await runRounds({
    ...{ rounds: 4, seed: SEED, program: await build.program(), members: 3, servers: 3, lease: 2000 },
    eachOnce: true,
    only: ['kill a member and', 'have a member stand still', 'cut a member off, both', 'kill all servers'],
    onSkip: (name, why) => t.comment(`left out: ${name}: ${why}`),
    onRound: ({ fault, what, answered, violations }) => {
      t.ok(answered > 0, `${fault}, ${what}: ${answered} answers`)
      t.same(
        violations.map(({ rule, message, entries }) => [
          `${rule}: ${message}`,
          ...entries.map(describeEntry),
        ]),
        [],
        fault,
      )
      return undefined
    },
  })
})
