import { keyPairOfSeed } from '../../../src/rehearsal/keyPair.ts'
import { below, bytes, oneOf, type World } from './world.ts'

const AUTHORISERS = ['auth-a', 'auth-b', 'auth-c', 'auth-d', 'auth-e']
/** Votes that decide. */
const MAJORITY = 3
const MAX_MEMBERS = 9
/** Federations that a chain has at most; their members are paid when it begins. */
export const MAX_FEDERATIONS = 12

type Stage = 'idle' | 'created' | 'filled' | 'committed'

interface Election {
  stage: Stage
  index: number
  seeds: readonly string[]
  created: number
  since: number
  /** Failed validations when it was committed. */
  failures: number
  /** Whether it was seen as a proposal, that has to be validated (bridge.md §4.7). */
  proposed: boolean
}

const elections = new WeakMap<World, Election>()

/** Texts of the keys that a member of a federation to come may have. */
export function memberSeed(federation: number, member: number): string {
  return `federation-${federation}-member-${member}`
}

/** The member's key texts of all federations that may come. */
export function allMemberSeeds(): string[] {
  return Array.from({ length: MAX_FEDERATIONS }, (_, federation) =>
    Array.from({ length: MAX_MEMBERS }, (__, member) => memberSeed(federation, member)),
  ).flat()
}

/** Brings the change of the federation one step on, or begins one when nothing stands in its way. */
export async function elect(world: World): Promise<void> {
  const { driver } = world
  // The address of the members that are there changes by itself, when rules do (bridge.md §3.4).
  const created = Number(await driver.ask('getFederationCreationBlockNumber'))
  const election = elections.get(world) ?? {
    stage: 'idle',
    index: 0,
    seeds: [],
    created,
    since: 0,
    failures: 0,
    proposed: false,
  }
  elections.set(world, election)
  switch (election.stage) {
    case 'idle': {
      if (election.index >= MAX_FEDERATIONS) return
      const retiring = Number(await driver.ask('getRetiringFederationSize'))
      if (retiring >= 0 || world.random() < 0.7) return
      if (world.random() < 0.2) await vote(world, 'rollbackFederation', [])
      await vote(world, 'createFederation', [])
      election.stage = 'created'
      election.since = driver.number
      return
    }
    case 'created':
      if (Number(await driver.ask('getPendingFederationSize')) < 0) {
        if (driver.number > election.since + 3) election.stage = 'idle'
        return
      }
      await fill(world, election)
      return
    case 'filled': {
      const size = Number(await driver.ask('getPendingFederationSize'))
      if (size < election.seeds.length) {
        if (driver.number > election.since + 6) election.stage = 'created'
        return
      }
      if (world.random() < 0.1) {
        await vote(world, 'rollbackFederation', [])
        election.stage = 'idle'
        return
      }
      const hash = await driver.ask('getPendingFederationHash')
      if (world.random() < 0.2) await vote(world, 'commitFederation', [bytes(world, 32)])
      await vote(world, 'commitFederation', [hash])
      election.stage = 'committed'
      election.created = created
      election.proposed = false
      election.failures = world.counts.failedValidations
      election.since = driver.number
      return
    }
    case 'committed':
      if (created !== election.created) {
        world.counts.federationChanges += 1
        election.stage = 'idle'
        election.index += 1
      } else if (driver.number > election.since + 400) election.stage = 'idle'
      else if (world.counts.failedValidations > election.failures) election.stage = 'idle'
      else if (driver.on('rskip419')) await recordProposal(world, election)
  }
}

/** A proposal that is gone, and did not fail, went through its validation. */
async function recordProposal({ driver, counts }: World, election: Election): Promise<void> {
  const isThere = Number(await driver.ask('getProposedFederationSize')) >= 0
  if (election.proposed && !isThere) counts.validations += 1
  election.proposed = isThere
}

async function fill(world: World, election: Election): Promise<void> {
  const size = 3 + below(world, MAX_MEMBERS - 2)
  election.seeds = Array.from({ length: size }, (_, member) => memberSeed(election.index, member))
  for (const seed of election.seeds) {
    const { publicKey } = keyPairOfSeed(seed)
    if (world.driver.on('rskip123')) {
      const other = keyPairOfSeed(`${seed}-mst`).publicKey
      await vote(world, 'addFederatorPublicKeyMultikey', [publicKey, publicKey, other])
    } else await vote(world, 'addFederatorPublicKey', [publicKey])
  }
  election.stage = 'filled'
  election.since = world.driver.number
}

async function vote(world: World, method: string, args: readonly unknown[]): Promise<void> {
  const first = below(world, AUTHORISERS.length)
  for (let each = 0; each < MAJORITY; each += 1) {
    const seed = AUTHORISERS[(first + each) % AUTHORISERS.length] ?? 'auth-a'
    await world.driver.call(world.driver.account(seed), method, args, { gasLimit: 150_000 })
  }
  if (world.random() < 0.1) {
    const seed = oneOf(world, [...AUTHORISERS, 'stranger'])
    await world.driver.call(world.driver.account(seed), method, args, { gasLimit: 150_000 })
  }
}
