import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createRandom } from '../../support/random.ts'
import { TestBuild } from '../../support/testBuild.ts'
import type { Fault } from '../availability/faults.ts'
import { BALANCER, type Round, runRounds } from '../availability/rounds.ts'
import { Balancer } from '../cluster/balancer.ts'
import { TestFleet } from '../cluster/testFleet.ts'
import { CountedUse } from './countedUse.ts'
import { KeyChanges } from './keyChanges.ts'
import { PLANTED_ROUNDS } from './plantedFaults.ts'
import { randomFaults } from './randomFaults.ts'
import { StoreFaults } from './storeFaults.ts'

/**
 * Rounds of faults at three members and three NATS servers behind nginx, in an order of chance: what clients were answered
 * is checked after each. Ends with 1 when a promise of fleet.md is broken or a planted fault is not found.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    /** Seconds for which a fault lasts, at most. */
    lasts: { type: 'string', default: '6' },
    /** Requests a second at the balancer, and at each member beside that. */
    rate: { type: 'string', default: '100' },
    direct: { type: 'string', default: '30' },
    /** Words in the names of faults; all unless given. */
    only: { type: 'string', multiple: true },
    /** Rounds in which each planted fault has to show; 0 leaves them out. */
    planted: { type: 'string', default: '0' },
    /** Words in the names of planted faults; all unless given. */
    named: { type: 'string', default: '' },
    /** Minutes after which it is midnight (UTC) for the members, where libfaketime is installed; 0: when it is. */
    midnight: { type: 'string', default: '10' },
  },
})

/** MiB of the disk of the last member. */
const DISK_MIB = 256
const DAY = 86_400
/** Letters of an error that are shown before what is left is put away. */
const SHOWN_ERROR = 2000
const MEMBERS = 3
const print = (text: string) => process.stdout.write(`${text}\n`)
const random = createRandom(Number(values.seed))
const lasts = Number(values.lasts) * 1000
const build = await TestBuild.create()
let wrong = 0
try {
  if (Number(values.rounds) > 0) wrong += await runAll(await build.program())
  for (const planted of Number(values.planted) > 0 ? PLANTED_ROUNDS : []) {
    if (!planted.name.includes(values.named)) continue
    const program = await build.program(planted.name.replaceAll(/[^a-z]+/g, '-'), planted.changes)
    let found: string | null = null
    await onFleet(program, async (run) => {
      const isChosen = ({ name }: Fault) => planted.shownBy.some((words) => name.includes(words))
      await run(isChosen, Number(values.planted), (round) => {
        found = wrongOf(round).find((text) => planted.found.test(text)) ?? null
        return found === null
      })
    }).catch((error: unknown) => print(String(error).slice(0, 500)))
    if (found === null) wrong += 1
    print(`${planted.name}: ${found ?? 'NOT FOUND'}`)
  }
} finally {
  build.remove()
}
process.exit(wrong === 0 ? 0 : 1)

type Run = (
  isChosen: (fault: Fault) => boolean,
  rounds: number,
  onRound: (round: Round) => boolean,
) => Promise<void>

async function runAll(program: string): Promise<number> {
  let [rounds, failed, told, notHere] = [0, 0, 0, 0]
  await onFleet(program, (run) =>
    run(
      ({ name }) => values.only?.some((word) => name.includes(word)) ?? true,
      Number(values.rounds),
      (round) => {
        rounds += 1
        told += round.told
        notHere += refusedOf(round)
        const found = wrongOf(round)
        if (found.length > 0) failed += 1
        const requests = round.targets.reduce((sum, target) => sum + target.requests, 0)
        print(
          `${rounds}: ${round.fault}: ${requests} requests, ${round.told} checked, whole after ${(round.took / 1000).toFixed(1)} s`,
        )
        for (const text of found) print(`    BROKEN ${text}`)
        return true
      },
    ),
  )
  print(
    `${rounds} rounds, seed ${values.seed}: ${failed} with a broken promise; ${told} answers checked; ${notHere} reads were refused by fleet.md §4`,
  )
  return failed
}

async function onFleet(program: string, work: (run: Run) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-rounds-'))
  const fleet = await TestFleet.start({
    ...{ folder, members: MEMBERS, servers: 3, program, network: true, disk: DISK_MIB },
    args: ['--block-time', '1'],
    clockAhead: secondsAhead(),
  })
  const use = new CountedUse()
  const stores = new StoreFaults(use)
  const keys = new KeyChanges(random)
  const members = fleet.members.map(({ origin }) => new URL(origin).host)
  const balancer = await Balancer.start('nginx', { folder, members })
  try {
    if (fleet.network === null) print('links cannot be cut here: root and namespaces are needed')
    await work(async (isChosen, rounds, onRound) => {
      const isGoingOn = { is: true }
      const all = randomFaults(fleet, 40 * rounds, random, stores.of(fleet))
        .filter(isChosen)
        .slice(0, rounds)
      await runRounds(
        {
          fleet,
          balancer,
          perSecond: Number(values.rate),
          perMember: Number(values.direct),
          lasts: () => lasts * (0.2 + 0.8 * random()),
          hooks: [{ name: 'requests', begin: (of) => ofRun(of), afterRound: async () => [] }, use, keys],
          onRound: (round) => {
            isGoingOn.is = onRound(round)
            return isGoingOn.is
          },
        },
        all,
      )
    })
  } catch (error) {
    print(String(error).slice(0, SHOWN_ERROR))
    throw error
  } finally {
    print(`${use.total}; another key was changed at two members without NATS ${keys.pairs} times`)
    await stores.remove()
    await balancer.close()
    await fleet.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Requests have a key from then on. */
async function ofRun(fleet: TestFleet): Promise<void> {
  await fleet.makeKey('run')
}

/** For it to be midnight so many minutes from now. */
function secondsAhead(): number {
  const minutes = Number(values.midnight)
  const now = Math.floor(Date.now() / 1000)
  return minutes === 0 ? 0 : DAY - ((now + minutes * 60) % DAY)
}

/** Reads at members that were not hit, of blocks that another one had for two seconds. */
function refusedOf({ targets }: Round): number {
  return targets.reduce(
    (sum, { target, isHit, notHere }) => sum + (isHit || target === BALANCER ? 0 : notHere),
    0,
  )
}

function wrongOf({ targets, broken }: Round): readonly string[] {
  const failed = targets.flatMap(({ target, isHit, failed: of, failures }) =>
    !isHit && of.read + of.send > 0
      ? [`${of.read + of.send} requests failed at ${target}: ${failures.join('; ')}`]
      : [],
  )
  return [...failed, ...broken]
}
