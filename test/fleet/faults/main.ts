import { parseArgs } from 'node:util'
import { TestBuild } from '../../support/testBuild.ts'
import { describeEntry } from '../checker/violation.ts'
import { runRounds } from './rounds.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    members: { type: 'string', default: '3' },
    /** Servers of NATS; 0 for a single node without a fleet, to try the runner. */
    servers: { type: 'string', default: '3' },
    /** Milliseconds of a lease: short ones make more rounds in the same time. */
    lease: { type: 'string', default: '1500' },
    /** Parts of names of faults. */
    only: { type: 'string', multiple: true, default: [] },
    /** Each kind by turns in place of at random. */
    turns: { type: 'boolean', default: false },
    /** A compiled command line in place of this source. */
    program: { type: 'string' },
  },
})
const SHOWN = 5
const seed = Number(values.seed)
const build = values.program === undefined ? await TestBuild.create() : null
const program = values.program ?? (await build?.program()) ?? ''
console.log(
  `seed ${seed}: ${values.rounds} rounds, ${values.members} members, ${values.servers} servers of NATS`,
)
try {
  const violations = await runRounds({
    ...{ rounds: Number(values.rounds), seed, program, only: values.only, eachOnce: values.turns },
    ...{ members: Number(values.members), servers: Number(values.servers), lease: Number(values.lease) },
    onSkip: (name, why) => console.log(`left out: ${name}: ${why}`),
    onRound: (round) => {
      console.log(
        `${round.round}: ${round.fault}, ${round.what}: ${round.answered} answered, ${round.refused} refused, ` +
          `${round.unknown} without an answer; ${round.heads} heads, ${round.transactions} transactions and ` +
          `${round.blocks} blocks acknowledged; healed after ${round.healedMilliseconds.toFixed(0)} ms`,
      )
      for (const { rule, message, entries } of round.violations.slice(0, SHOWN)) {
        console.log(`    VIOLATION ${rule}: ${message}`)
        for (const entry of entries) console.log(`        ${describeEntry(entry)}`)
      }
      if (round.history !== null) console.log(`    ${round.violations.length} in ${round.history}`)
    },
  })
  console.log(violations === 0 ? 'every history is clean' : `${violations} violations`)
  process.exitCode = violations === 0 ? 0 : 1
} finally {
  build?.remove()
}
