import t from 'tap'
import { runTarget } from './runTarget.ts'
import { FUZZ_TARGETS } from './targets.ts'

/** `npm run ts -- test/fuzz/codecs/main.ts --seconds 600` is the long form. */
const EXECUTIONS = 2000

for (const [name, target] of Object.entries(FUZZ_TARGETS)) {
  t.test(`${name}: odd bytes are refused as declared or read as they are written`, async (t) => {
    const { executions, taken, fault } = runTarget(target(), {
      seed: 20261122,
      seconds: Number.POSITIVE_INFINITY,
      executions: EXECUTIONS,
    })
    t.equal(fault, null)
    t.equal(executions, EXECUTIONS)
    t.ok(taken > EXECUTIONS / 100, `${taken} inputs were taken`)
    t.ok(taken < EXECUTIONS * 0.99, `${taken} inputs were taken`)
  })
}

t.test('a reader that throws what it does not declare is found', async (t) => {
  const { fault } = runTarget(
    {
      seeds: [Buffer.from([0xc1, 0x01])],
      mutate: (chance) => chance.bytes(2),
      check: (bytes) => {
        if (bytes[0] === 7) throw new TypeError('inside')
        return true
      },
    },
    { seed: 1, seconds: Number.POSITIVE_INFINITY, executions: 100_000 },
  )
  t.equal(fault?.input[0], 7)
  t.match(fault?.error, TypeError)
})
