import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom } from '../../support/random.ts'
import { TestFleet } from '../cluster/testFleet.ts'
import { FAULT_KINDS, type FaultKind } from './faultKinds.ts'
import { type Round, runRound, type Scene, setScene } from './round.ts'

export interface RoundsOptions {
  /** The first round has this number: 1 unless given. */
  readonly first?: number
  readonly rounds: number
  readonly seed: number
  /** Compiled command line of the members. */
  readonly program: string
  /** That of a neighbouring version. */
  readonly otherProgram?: string
  readonly members: number
  /** Servers of NATS; 0 for a single node without a fleet. */
  readonly servers: number
  /** Milliseconds. */
  readonly lease: number
  /** Parts of names of faults; empty for all. */
  readonly only?: readonly string[]
  /** Whether each kind comes once before any comes again. */
  readonly eachOnce?: boolean
  /** Told of each round; true ends the run. */
  readonly onRound?: (round: Round) => boolean | undefined
  readonly onSkip?: (name: string, why: string) => void
}

const DISK_MIB = 256
const SHOWN_OUTPUT = 4000

/**
 * Disturbs one fleet again and again, each time while clients use it, waits until it has healed, and has the checker
 * decide about what the clients saw. A fleet that does not heal is given up for a new one.
 * @returns violations of all rounds
 */
export async function runRounds(options: RoundsOptions): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-fleet-'))
  const first = options.first ?? 1
  let violations = 0
  let scene: Scene | null = null
  try {
    for (let round = first; round < first + options.rounds; round += 1) {
      // A round is the same whichever ones came before it.
      const random = createRandom(Math.imul(options.seed, SEED_STEP) + round)
      scene ??= await open(options, join(folder, `fleet-${round}`), folder)
      const { fleet } = scene
      const kind = chooseKind(fleet, options, round, random)
      const result = await runRound(scene, kind, round, random).catch((error: unknown) =>
        brokenRound(round, kind, fleet, error),
      )
      if (result.isBroken === true) {
        await fleet.close()
        scene = null
      }
      violations += result.violations.length
      if (options.onRound?.(result) === true) break
    }
  } finally {
    await scene?.fleet.close()
    if (violations === 0) rmSync(folder, { recursive: true, force: true })
  }
  return violations
}

const SEED_STEP = 0x9e3779b1

async function open(options: RoundsOptions, folder: string, histories: string): Promise<Scene> {
  const fleet = await TestFleet.start({
    folder,
    members: options.members,
    servers: options.servers,
    program: options.program,
    ...(options.otherProgram === undefined ? {} : { otherProgram: options.otherProgram }),
    lease: options.lease,
    network: options.servers > 0,
    clocks: true,
    disk: options.members > 1 ? DISK_MIB : 0,
    // Work with another time, so that blocks have siblings.
    args: ['--no-mining', '--work-refresh-time', '1'],
  })
  try {
    return await setScene(fleet, histories, createRandom(options.seed))
  } catch (error) {
    await fleet.close()
    throw error
  }
}

function chooseKind(
  fleet: TestFleet,
  { only = [], eachOnce, onSkip }: RoundsOptions,
  round: number,
  random: () => number,
): FaultKind {
  const kinds = FAULT_KINDS.filter((kind) => {
    if (only.length > 0 && !only.some((part) => kind.name.includes(part))) return false
    const why = kind.whyNot(fleet)
    if (why !== null && round === 1) onSkip?.(kind.name, why)
    return why === null
  })
  const kind = kinds[eachOnce === true ? (round - 1) % kinds.length : Math.floor(random() * kinds.length)]
  if (kind === undefined) throw new Error('no fault can be made here')
  return kind
}

/** A round that did not come to its end: the fleet did not heal, or what it has cannot be read. */
function brokenRound(round: number, { name }: FaultKind, fleet: TestFleet, error: unknown): Round {
  const outputs = fleet.members.map(({ member, output }) => `m${member}: ${output.slice(-SHOWN_OUTPUT)}`)
  const message = `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n${outputs.join('\n')}`
  return {
    ...{ round, fault: name, what: 'given up', answered: 0, refused: 0, unknown: 0, heads: 0 },
    ...{ reorganisations: 0, transactions: 0, blocks: 0, healedMilliseconds: 0, milliseconds: 0, phases: {} },
    violations: [{ rule: 'healed', message, entries: [] }],
    history: null,
    isBroken: true,
  }
}
