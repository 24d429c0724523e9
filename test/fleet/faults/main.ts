import { parseArgs } from 'node:util'
import { describeMachine } from '../../../bench/report/machine.ts'
import { TestBuild } from '../../support/testBuild.ts'
import { describeEntry } from '../checker/violation.ts'
import { PLANTED_FAULTS } from './plantedFaults.ts'
import { RoundResults, table } from './results.ts'
import type { Round } from './round.ts'
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
    /** Builds that break a rule each, in place of this one: the checker has to find all of them. */
    planted: { type: 'boolean', default: false },
    /** Number of the first round, to go on with a seed: after those that are kept, or 1, unless given. */
    first: { type: 'string' },
    /** Ends behind the round that is under way then. */
    minutes: { type: 'string' },
    /** Keeps what comes of each round in bench/results/fleet-faults.md, beside earlier ones of the seed. */
    save: { type: 'boolean', default: false },
    /** A compiled command line in place of this source. */
    program: { type: 'string' },
    /** That of a neighbouring version, which members go over to and back. */
    'other-program': { type: 'string' },
  },
})
const SHOWN = 5
/** Parts of a round that took longer are told of. */
const SLOW_MS = 4000
/** Rounds within which a planted fault has to be found: some show only when a client asks within milliseconds. */
const PLANTED_ROUNDS = 12
const seed = Number(values.seed)
const size = { members: Number(values.members), servers: Number(values.servers), lease: Number(values.lease) }
const build = values.program === undefined || values.planted ? await TestBuild.create() : null
// Each fleet that is started has listeners for the end of this process.
process.setMaxListeners(0)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

try {
  process.exitCode = values.planted ? await findPlanted() : await disturb()
} finally {
  build?.remove()
}

/** @returns the exit code */
async function disturb(): Promise<number> {
  const program = values.program ?? (await build?.program()) ?? ''
  const fleet = `${size.members} members, ${size.servers} servers of NATS, leases of ${size.lease} ms`
  const results = values.save ? new RoundResults(seed, fleet, describeMachine()) : null
  const first = Number(values.first ?? results?.next ?? 1)
  console.log(`seed ${seed}: ${values.rounds} rounds from ${first} on, ${fleet}`)
  const rounds: Round[] = []
  const until =
    values.minutes === undefined
      ? Number.POSITIVE_INFINITY
      : performance.now() + Number(values.minutes) * 60_000
  const violations = await runRounds({
    ...{ ...size, first, rounds: Number(values.rounds), seed, program, only: values.only },
    eachOnce: values.turns,
    ...(values['other-program'] === undefined ? {} : { otherProgram: values['other-program'] }),
    onSkip: (name, why) => console.log(`left out: ${name}: ${why}`),
    onRound: (round) => {
      tell(round)
      rounds.push(round)
      results?.add(round)
      return performance.now() >= until
    },
  })
  console.log(table(rounds))
  const rules = rounds.flatMap((round) => round.violations.map(({ rule }) => rule))
  for (const rule of new Set(rules))
    console.log(`${rule}: ${rules.filter((one) => one === rule).length} violations`)
  console.log(violations === 0 ? 'every history is clean' : `${violations} violations`)
  return violations === 0 ? 0 : 1
}

/** @returns the exit code */
async function findPlanted(): Promise<number> {
  let missed = 0
  const results = values.save ? new RoundResults(seed, '', describeMachine()) : null
  const chosen = PLANTED_FAULTS.filter(
    ({ name }) => values.only.length === 0 || values.only.some((part) => name.includes(part)),
  )
  for (const [index, { name, rule, off, under, caughtBy }] of chosen.entries()) {
    const program = (await build?.program(`planted-${index}`, off)) ?? ''
    const began = performance.now()
    let found: string | null = null
    let rounds = 0
    await runRounds({
      ...{ ...size, rounds: PLANTED_ROUNDS, seed: seed + index, program, only: under, eachOnce: true },
      onRound: (round) => {
        rounds += 1
        found ??=
          round.violations.map((one) => `${one.rule}: ${one.message}`).find((text) => caughtBy.test(text)) ??
          null
        // What it has of other rules tells why.
        if (found === null) tell(round)
        return found !== null
      },
    }).catch((error: unknown) => console.log(`    ${String(error).slice(0, 2000)}`))
    const time = `${((performance.now() - began) / 1000).toFixed(0)} s`
    console.log(
      `${rule}, ${name}: ${found === null ? 'NOT FOUND' : `found in round ${rounds}, after ${time}: ${found}`}`,
    )
    results?.addPlanted({ rule, name, rounds, found })
    if (found === null) missed += 1
  }
  console.log(`${chosen.length - missed} of ${chosen.length} planted faults are found`)
  return missed === 0 ? 0 : 1
}

function tell(round: Round): void {
  console.log(
    `${round.round}: ${round.fault}, ${round.what}: ${round.answered} answered, ${round.refused} refused, ` +
      `${round.unknown} without an answer; ${round.heads} heads, ${round.reorganisations} reorganisations, ` +
      `${round.transactions} transactions and ${round.blocks} blocks acknowledged; ` +
      `healed after ${round.healedMilliseconds.toFixed(0)} ms, ${(round.milliseconds / 1000).toFixed(1)} s in all`,
  )
  const slow = Object.entries(round.phases).filter(([, time]) => time > SLOW_MS)
  if (slow.length > 0)
    console.log(`    ${slow.map(([name, time]) => `${name}: ${(time / 1000).toFixed(1)} s`).join(', ')}`)
  for (const { rule, message, entries } of round.violations.slice(0, SHOWN)) {
    console.log(`    VIOLATION ${rule}: ${message}`)
    for (const entry of entries) console.log(`        ${describeEntry(entry)}`)
  }
  if (round.history !== null) console.log(`    ${round.violations.length} in ${round.history}`)
}
