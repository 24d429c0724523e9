import { parseArgs } from 'node:util'
import {
  LOSSES,
  PLANTED_FAULTS,
  PLANTED_LOSSES,
  PLANTED_SIGNATURES,
  type SimFaults,
} from '../../support/fleet/simFaults.ts'
import { DISTURBED, membersOf, simulate } from '../../support/fleet/simFleet.ts'

// The long form of test/unit/fleet/memberSimulation.test.ts and, with `--signed`, of test/unit/fleet/signedHeads.test.ts.
const { values } = parseArgs({
  options: {
    /** Runs without a fault. */
    runs: { type: 'string', default: '500' },
    /** First seed. */
    seed: { type: 'string', default: '1' },
    /** Most runs in which a planted fault has to show; 0 leaves them out. */
    planted: { type: 'string', default: '200' },
    /** Time with disturbances in a run, milliseconds. */
    time: { type: 'string', default: String(DISTURBED) },
    /** How often the log loses its last heads in a run. */
    losses: { type: 'string', default: '0' },
    /** Whether members need signatures of heads, in runs without a fault. */
    signed: { type: 'boolean', default: false },
  },
})
const first = Number(values.seed)
const milliseconds = Number(values.time)
let failures = 0

for (let seed = first; seed < first + Number(values.runs); seed += 1) {
  const { violations, stuck, notes } = await simulate({
    ...{ seed, members: membersOf(seed), milliseconds },
    ...{ losses: Number(values.losses), isSigned: values.signed },
  })
  if (violations.length + stuck.length === 0) continue
  failures += 1
  console.log(`seed ${seed}: ${[...violations, ...stuck].join('; ')}`)
  for (const note of notes) console.log(`    ${note}`)
}
console.log(`${values.runs} runs from seed ${first}: ${failures} with a violation or something stuck`)

if (Number(values.planted) > 0) {
  for (const [fault] of PLANTED_FAULTS) await find(fault, 0)
  for (const [fault] of PLANTED_LOSSES) await find(fault, LOSSES)
  for (const [fault] of PLANTED_SIGNATURES) await find(fault, 0, true)
}
process.exitCode = failures === 0 ? 0 : 1

async function find(fault: keyof SimFaults, losses: number, isSigned = false): Promise<void> {
  const seed = await seedThatShows(fault, losses, isSigned)
  if (seed === null) failures += 1
  console.log(`${fault}: ${seed === null ? 'NOT FOUND' : `found with seed ${seed}`}`)
}

async function seedThatShows(
  fault: keyof SimFaults,
  losses: number,
  isSigned: boolean,
): Promise<number | null> {
  for (let seed = first; seed < first + Number(values.planted); seed += 1) {
    const run = { seed, members: membersOf(seed), milliseconds, faults: { [fault]: true }, losses, isSigned }
    if ((await simulate(run)).violations.length > 0) return seed
  }
  return null
}
