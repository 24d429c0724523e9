import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { GRANT_LIFETIME } from '../../../src/gateway/access/grantedUnits.ts'
import { askNode } from '../../support/nodeProcess.ts'
import { createRandom } from '../../support/random.ts'
import { accountOfSeed } from '../../support/signedTransaction.ts'
import { checkHistory } from '../checker/check.ts'
import {
  type History,
  HistoryWriter,
  type KeyEntry,
  readHistory,
  type UsedBefore,
} from '../checker/history.ts'
import { CheckedLoad } from '../checker/load.ts'
import type { ClientKey } from '../checker/recordingClient.ts'
import { canonicalHeads, recordTruth } from '../checker/truth.ts'
import { usedAfter } from '../checker/usage.ts'
import type { Violation } from '../checker/violation.ts'
import { headRecord, lastHeadSequence } from '../cluster/headRecord.ts'
import { createLoggingContract, type LoggingContract } from '../cluster/loggingContract.ts'
import { TestFleet } from '../cluster/testFleet.ts'
import { FAULT_KINDS, type FaultKind } from './faultKinds.ts'

export interface RoundsOptions {
  readonly rounds: number
  readonly seed: number
  /** Compiled command line of the members. */
  readonly program: string
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

/** One fault with what came of it. */
export interface Round {
  readonly round: number
  readonly fault: string
  readonly what: string
  readonly answered: number
  readonly refused: number
  readonly unknown: number
  readonly heads: number
  readonly transactions: number
  readonly blocks: number
  /** Until all members were ready again. */
  readonly healedMilliseconds: number
  readonly violations: readonly Violation[]
  /** File of the history, where it has violations. */
  readonly history: string | null
}

const ACCOUNTS = ['cow1', 'cow2', 'cow3'].map(accountOfSeed)
const CALM_MS = 600
const SETTLE_MS = 500
/** Clients of the key with a rate. */
const SPENDERS = 4
/** A key that opens one method, of one unit: the stated overshoot depends on the dearest one. */
const LIMITS = { rate: 100, burst: 200, methods: ['eth_chainId'] }
const BLOCK_EVERY_MS = 500
/** Usage is written once a second and shown for a second: what was answered has to be in it then. */
const USAGE_MS = 2500
/** A revocation reaches the members of a fleet that has healed by a watch; a node without a fleet looks every second. */
const REVOKED_WITHIN_MS = 1500

/**
 * Disturbs one fleet again and again, each time while clients use it, waits until it has healed, and has the checker
 * decide about what the clients saw.
 * @returns violations of all rounds
 */
export async function runRounds(options: RoundsOptions): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-fleet-'))
  const random = createRandom(options.seed)
  const fleet = await TestFleet.start({
    folder,
    members: options.members,
    servers: options.servers,
    program: options.program,
    lease: options.lease,
    network: options.servers > 0,
    clocks: true,
    disk: options.members > 1 ? DISK_MIB : 0,
    args: ['--no-mining'],
  })
  let violations = 0
  try {
    const kinds = chooseKinds(fleet, options)
    const contract = await createLoggingContract(fleet.members[0]?.url ?? '', random)
    // What the runner itself asks is not to be counted with what its clients ask.
    await fleet.createKey('runner')
    const key = await fleet.createKey('all')
    const limited = await fleet.createKey('limited', LIMITS)
    await sleep(CALM_MS)
    const scene: Scene = {
      ...{ fleet, contract, key, limited, folder, random },
      timeout: options.lease,
      used: new Map(),
    }
    for (let round = 1; round <= options.rounds; round += 1) {
      const kind = options.eachOnce
        ? kinds[(round - 1) % kinds.length]
        : kinds[Math.floor(random() * kinds.length)]
      if (kind === undefined) throw new Error('no fault can be made here')
      const result = await runRound(scene, kind, round)
      violations += result.violations.length
      if (options.onRound?.(result) === true) break
    }
  } finally {
    await fleet.close()
    if (violations === 0) rmSync(folder, { recursive: true, force: true })
  }
  return violations
}

const DISK_MIB = 256

interface Scene {
  readonly fleet: TestFleet
  readonly contract: LoggingContract
  readonly key: ClientKey
  readonly limited: ClientKey
  readonly folder: string
  readonly random: () => number
  readonly timeout: number
  /** What keys were used for in the rounds before. */
  readonly used: Map<string, UsedBefore>
}

function chooseKinds(fleet: TestFleet, { only = [], onSkip }: RoundsOptions): FaultKind[] {
  return FAULT_KINDS.filter((kind) => {
    if (only.length > 0 && !only.some((part) => kind.name.includes(part))) return false
    const why = kind.whyNot(fleet)
    if (why !== null) onSkip?.(kind.name, why)
    return why === null
  })
}

async function runRound(scene: Scene, kind: FaultKind, round: number): Promise<Round> {
  const { fleet, contract, key, limited, folder, random, timeout, used } = scene
  const path = join(folder, `history-${round}.jsonl`)
  const writer = new HistoryWriter(path)
  writer.write(limitsOf(fleet, key.id, used.get(key.id), {}))
  writer.write(limitsOf(fleet, limited.id, used.get(limited.id), LIMITS))
  const revoked = await fleet.createKey(`revoked-${round}`, { methods: LIMITS.methods })
  writer.write(limitsOf(fleet, revoked.id, undefined, {}))
  const urls = fleet.servers?.urls ?? []
  const first = fleet.servers === null ? await heightOf(fleet) : await lastHeadSequence(urls)
  const load = new CheckedLoad({
    ...{ writer, random, key, contract, timeout },
    members: () => fleet.members,
    spent: [
      { key: limited, clients: SPENDERS },
      { key: revoked, clients: 1 },
    ],
    accounts: ACCOUNTS,
    blockEvery: BLOCK_EVERY_MS,
  })
  load.start()
  await sleep(CALM_MS)
  if (kind.handsOver === true) load.handedOver()
  const begin = performance.now()
  const { what, killed } = await kind.run({ fleet, random })
  writer.write({ type: 'fault', what: `${kind.name}: ${what}`, killed, begin, end: performance.now() })
  const healing = performance.now()
  await fleet.untilReady()
  const healedMilliseconds = performance.now() - healing
  await revoke(fleet, revoked, writer)
  await sleep(REVOKED_WITHIN_MS + CALM_MS)
  await load.stop()
  await sleep(USAGE_MS + SETTLE_MS)
  await load.finish()
  const heads =
    fleet.servers === null
      ? await canonicalHeads(fleet.members[0]?.url ?? '', first)
      : await headRecord(urls, first)
  const { transactions, blocks } = load
  await recordTruth({ writer, members: fleet.members, path: fleet.path, heads, transactions, blocks })
  writer.close()
  const history = readHistory(path)
  const violations = checkHistory(history)
  for (const { id } of [key, limited]) used.set(id, usedAfter(history, id))
  if (violations.length === 0) rmSync(path)
  return {
    ...{ round, fault: kind.name, what, healedMilliseconds, violations },
    ...outcomesOf(history),
    heads: history.heads.length,
    transactions: transactions.size,
    blocks: blocks.size,
    history: violations.length === 0 ? null : path,
  }
}

async function revoke(fleet: TestFleet, key: ClientKey, writer: HistoryWriter): Promise<void> {
  const begin = performance.now()
  await fleet.revokeKey(key)
  writer.write({
    ...{ type: 'entry', client: -1, member: 0, begin, end: performance.now() },
    operation: { kind: 'revoke', key: key.id },
    outcome: { kind: 'answered', value: null },
  })
}

function outcomesOf({ entries }: History) {
  const count = (kind: string) => entries.filter(({ outcome }) => outcome.kind === kind).length
  return { answered: count('answered'), refused: count('refused'), unknown: count('unknown') }
}

/**
 * By how much a fleet may be over a rate in a window (fleet.md §7): what each member may use without a grant, and what
 * was granted in advance and not used when the window begins.
 */
function limitsOf(
  { members }: TestFleet,
  key: string,
  used: UsedBefore = { least: 0, most: 0 },
  { rate = 0, burst = 0 } = {},
): KeyEntry {
  const withoutGrant = members.length * Math.max(rate / 10, DEAREST_REQUEST)
  const inAdvance = (rate * GRANT_LIFETIME) / 1000
  const overshoot = withoutGrant + inAdvance
  return { type: 'key', key, used, rate, burst, quota: 0, overshoot, revokedWithin: REVOKED_WITHIN_MS }
}

/** Cost units of the one method of the key with a rate. */
const DEAREST_REQUEST = 1

async function heightOf(fleet: TestFleet): Promise<number> {
  return Number(await askNode<string>(fleet.members[0]?.url ?? '', 'eth_blockNumber', []))
}
