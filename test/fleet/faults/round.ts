import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { GRANT_LIFETIME } from '../../../src/gateway/access/grantedUnits.ts'
import { askNode } from '../../support/nodeProcess.ts'
import { accountOfSeed } from '../../support/signedTransaction.ts'
import { checkHistory } from '../checker/check.ts'
import { RecordedChains } from '../checker/events.ts'
import {
  type History,
  HistoryWriter,
  type KeyEntry,
  readHistory,
  type UsedBefore,
} from '../checker/history.ts'
import { CheckedLoad } from '../checker/load.ts'
import type { ClientKey } from '../checker/recordingClient.ts'
import { canonicalHeads, recordTruth, untilHeadsReach } from '../checker/truth.ts'
import { usedAfter } from '../checker/usage.ts'
import type { Violation } from '../checker/violation.ts'
import { headRecord, lastHeadSequence } from '../cluster/headRecord.ts'
import { createLoggingContract, type LoggingContract } from '../cluster/loggingContract.ts'
import type { TestFleet } from '../cluster/testFleet.ts'
import type { FaultKind } from './faultKinds.ts'

/** One fault with what came of it. */
export interface Round {
  readonly round: number
  readonly fault: string
  readonly what: string
  /** Requests of clients, by their end. */
  readonly answered: number
  readonly refused: number
  readonly unknown: number
  readonly heads: number
  /** Heads that do not have the one before on their chain. */
  readonly reorganisations: number
  /** Those that were acknowledged. */
  readonly transactions: number
  readonly blocks: number
  /** Until all members were ready again. */
  readonly healedMilliseconds: number
  /** Of the whole round. */
  readonly milliseconds: number
  /** What took long of that, by name; for people who look for where the time goes. */
  readonly phases: Readonly<Record<string, number>>
  readonly violations: readonly Violation[]
  /** File of the history, where it has violations. */
  readonly history: string | null
  /** It did not come to its end. */
  readonly isBroken?: true
}

/** A fleet with what clients use in all rounds. */
export interface Scene {
  readonly fleet: TestFleet
  readonly contract: LoggingContract
  readonly key: ClientKey
  /** With a rate. */
  readonly limited: ClientKey
  /** Of what is not compared with its usage. */
  readonly uncounted: ClientKey
  readonly folder: string
  /** Milliseconds after which clients give up. */
  readonly timeout: number
  /** What keys were used for in the rounds before. */
  readonly used: Map<string, UsedBefore>
}

const ACCOUNTS = ['cow1', 'cow2', 'cow3'].map(accountOfSeed)
const CALM_MS = 600
/** Clients of the key with a rate, and of the one with a quota. */
const SPENDERS = 4
const QUOTA_SPENDERS = 2
/** Keys that open one method, of one unit: the stated overshoot depends on the dearest one. */
const METHODS = ['eth_chainId']
const LIMITS = { rate: 100, burst: 200, methods: METHODS }
/** It is used up within a round. */
const DAILY = { dailyQuota: 600, methods: METHODS }
const DAY_MS = 86_400_000
/** Clocks are moved by an hour at most: that near to midnight members may be of two days. */
const NEAR_MIDNIGHT_MS = 2 * 3_600_000
const BLOCK_EVERY_MS = 500
/** Share of rounds in which the chain reorganises. */
const REORGANISING = 0.3
/** Usage is written once a second and shown for a second: what was answered has to be in it then. */
const USAGE_MS = 2500
/** A revocation reaches the members of a fleet that has healed by a watch; a node without a fleet looks every second. */
const REVOKED_WITHIN_MS = 1500
const LONG_HEALING_MS = 20_000
const KEPT_OUTPUT = 50_000
/** Cost units of the one method of keys with limits. */
const DEAREST_REQUEST = 1

/** Makes keys and a contract for a fleet that was just started. */
export async function setScene(fleet: TestFleet, folder: string, random: () => number): Promise<Scene> {
  const contract = await createLoggingContract(fleet.members[0]?.url ?? '', random)
  // What the runner itself asks is not to be counted with what its clients ask.
  await fleet.createKey('runner')
  const key = await fleet.createKey('all')
  const limited = await fleet.createKey('limited', LIMITS)
  const uncounted = await fleet.createKey('uncounted')
  await sleep(CALM_MS)
  return { fleet, contract, key, limited, uncounted, folder, timeout: fleet.lease, used: new Map() }
}

/**
 * Disturbs a fleet while clients use it, waits until it has healed, and has the checker decide about what they saw.
 * @param random decides about the fault and, with the times that things take, about what clients do
 * @throws Error for a fleet that does not heal, or does not let itself be read
 */
export async function runRound(
  scene: Scene,
  kind: FaultKind,
  round: number,
  random: () => number,
): Promise<Round> {
  const began = performance.now()
  const phases: Record<string, number> = {}
  let phaseBegan = began
  const phase = (name: string) => {
    const now = performance.now()
    phases[name] = now - phaseBegan
    phaseBegan = now
  }
  const { fleet, contract, key, limited, uncounted, folder, timeout, used } = scene
  const path = join(folder, `history-${round}.jsonl`)
  const writer = new HistoryWriter(path)
  const revoked = await fleet.createKey(`revoked-${round}`, { methods: METHODS })
  const daily = await fleet.createKey(`daily-${round}`, DAILY)
  const urls = fleet.servers?.urls ?? []
  const first = fleet.servers === null ? await heightOf(fleet) : await lastHeadSequence(urls)
  const load = new CheckedLoad({
    ...{ writer, random, key, uncounted, contract, timeout },
    members: () => fleet.members,
    spent: [
      { key: limited, clients: SPENDERS },
      { key: revoked, clients: 1 },
      { key: daily, clients: QUOTA_SPENDERS },
    ],
    accounts: ACCOUNTS,
    blockEvery: BLOCK_EVERY_MS,
    reorganises: kind.reorganises ?? random() < REORGANISING,
  })
  phase('prepare')
  load.start()
  await sleep(CALM_MS)
  if (kind.handsOver === true) load.handedOver()
  const begin = performance.now()
  const { what, killed } = await kind.run({ fleet, random })
  const end = performance.now()
  await fleet.untilReady()
  const healed = performance.now()
  if (healed - end > LONG_HEALING_MS) keepOutputs(fleet, join(folder, `outputs-${round}.txt`))
  writer.write({ type: 'fault', what: `${kind.name}: ${what}`, killed, begin, end, healed })
  for (const [{ id }, limits] of [
    [key, {}],
    [limited, LIMITS],
    [revoked, {}],
    [daily, DAILY],
  ] as const)
    writer.write(limitsOf(fleet, id, used.get(id), limits, killed.length))
  phase('disturb')
  await revoke(fleet, revoked, writer)
  phase('revoke')
  await sleep(REVOKED_WITHIN_MS + CALM_MS)
  await load.stop()
  const stopped = performance.now()
  phase('calm')
  await untilHeadsReach(fleet, load.blocks)
  await load.finish()
  phase('last requests')
  const heads =
    fleet.servers === null
      ? await canonicalHeads(fleet.members[0]?.url ?? '', first)
      : await headRecord(urls, first)
  phase('heads')
  await load.finishSubscription(heads.at(-1)?.hash ?? '')
  phase('subscription')
  const { transactions, blocks } = load
  await recordTruth({ writer, members: fleet.members, path: fleet.path, heads, transactions, blocks })
  phase('truth')
  await sleep(Math.max(0, stopped + USAGE_MS - performance.now()))
  await load.finishUsage()
  phase('usage')
  writer.close()
  const history = readHistory(path)
  const violations = checkHistory(history)
  phase('check')
  for (const { id } of [key, limited]) used.set(id, usedAfter(history, id))
  if (violations.length === 0) rmSync(path)
  return {
    ...{ round, fault: kind.name, what, healedMilliseconds: healed - end, violations },
    ...outcomesOf(history),
    heads: history.heads.length,
    reorganisations: reorganisationsOf(history),
    transactions: transactions.size,
    blocks: blocks.size,
    milliseconds: performance.now() - began,
    phases,
    history: violations.length === 0 ? null : path,
  }
}

/** What members said may tell why a fleet took so long. */
function keepOutputs({ members }: TestFleet, path: string): void {
  const outputs = members.map(({ member, output }) => `m${member}:\n${output.slice(-KEPT_OUTPUT)}`)
  writeFileSync(path, outputs.join('\n'))
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

function reorganisationsOf(history: History): number {
  const chains = new RecordedChains(history)
  return history.heads.filter((_, place) => chains.isReorganisation(place)).length
}

/**
 * By how much a fleet may be over limits (fleet.md §7): a rate in a window by what each member may use without a grant,
 * and what was granted in advance and not used when the window begins; a quota by what each process of a member used
 * without a grant.
 */
function limitsOf(
  { members }: TestFleet,
  key: string,
  used: UsedBefore = { least: 0, most: 0 },
  { rate = 0, burst = 0, dailyQuota = 0 },
  killed: number,
): KeyEntry {
  const withoutGrant = members.length * Math.max(rate / 10, DEAREST_REQUEST)
  const inAdvance = (rate * GRANT_LIFETIME) / 1000
  const untilMidnight = DAY_MS - (Date.now() % DAY_MS)
  const isOneDay = Math.min(untilMidnight, DAY_MS - untilMidnight) > NEAR_MIDNIGHT_MS
  return {
    ...{ type: 'key', key, used, rate, burst },
    quota: isOneDay ? dailyQuota : 0,
    overshoot: withoutGrant + inAdvance,
    quotaOvershoot: (members.length + killed) * Math.ceil(dailyQuota / 100),
    revokedWithin: REVOKED_WITHIN_MS,
  }
}

async function heightOf(fleet: TestFleet): Promise<number> {
  return Number(await askNode<string>(fleet.members[0]?.url ?? '', 'eth_blockNumber', []))
}
