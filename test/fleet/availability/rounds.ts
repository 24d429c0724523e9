import { setTimeout as sleep } from 'node:timers/promises'
import { askNode } from '../../support/nodeProcess.ts'
import { askAllPatiently } from '../cluster/askPatiently.ts'
import type { Balancer } from '../cluster/balancer.ts'
import type { TestFleet } from '../cluster/testFleet.ts'
import { until } from '../cluster/until.ts'
import { checkHistory, type ShownBlock } from '../faults/clientHistory.ts'
import type { RoundHook } from '../faults/roundHooks.ts'
import type { Fault } from './faults.ts'
import { Load, type RequestKind, shownBlock } from './load.ts'

const NOT_HERE = /-32005 the block is not here yet/
/** Name of the balancer among the targets. */
export const BALANCER = 'balancer'
const LOOKS = 20
const memberName = (member: number) => `m${member}`

export interface RoundsOptions {
  readonly fleet: TestFleet
  readonly balancer: Balancer
  /** Requests a second at the balancer, and at each member beside that. */
  readonly perSecond: number
  readonly perMember: number
  /** Milliseconds for which the next fault lasts. */
  lasts(): number
  readonly hooks?: readonly RoundHook[]
  /** @returns whether to go on */
  onRound(round: Round): boolean
}

/** What became of the requests of one target while a fault lasted and until the fleet was whole. */
export interface TargetRound {
  readonly target: string
  /** Whether the fault hit it. */
  readonly isHit: boolean
  readonly requests: number
  readonly failed: Readonly<Record<RequestKind, number>>
  /** Of the reads that failed: those of a block that another member has, after two seconds (fleet.md §4). */
  readonly notHere: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly longest: number
  /** Texts of failures, each once, with their number. */
  readonly failures: readonly string[]
}

export interface Round {
  readonly fault: string
  /** Milliseconds from its begin until all members saw all. */
  readonly took: number
  readonly targets: readonly TargetRound[]
  /** Promises of fleet.md that clients saw broken. */
  readonly broken: readonly string[]
  /** What clients were told: heads, transactions, polls. */
  readonly told: number
}

/** Waits of a member that was never hit, by reason and upper bound in seconds. */
export type WaitTable = Readonly<Record<string, Readonly<Record<string, number>>>>

interface Seen {
  readonly present: boolean
  readonly members: readonly { readonly present: boolean; readonly linked: boolean | null }[]
}

/** Has faults befall a fleet one after the other while clients ask it. */
export async function runRounds(options: RoundsOptions, faults: readonly Fault[]): Promise<readonly Round[]> {
  const { fleet, balancer, perSecond, perMember, lasts, onRound, hooks = [] } = options
  await untilWhole(fleet)
  for (const hook of hooks) await hook.begin(fleet)
  const load = new Load([
    { name: BALANCER, url: `${balancer.url}${fleet.path}`, perSecond },
    ...fleet.members.map(({ url }, at) => ({ name: memberName(at), url, perSecond: perMember })),
  ])
  await load.start()
  const rounds: Round[] = []
  try {
    await sleep(2000)
    for (const fault of faults) {
      load.answered.length = 0
      const began = performance.now()
      for (const hook of hooks) hook.beforeFault?.(fault)
      await fault.begin()
      for (const hook of hooks) await hook.duringFault?.(fault)
      await sleep(lasts())
      await fault.end()
      await untilWhole(fleet)
      const took = performance.now() - began
      // What was asked until then has its answer by now, however long a balancer waited.
      await load.settled(performance.now())
      const targets = judge(load, fault)
      await load.lastPolls()
      const broken = [...(await judgeHistory(load, fleet, fault.hit))]
      for (const hook of hooks)
        broken.push(...(await hook.afterRound(fault)).map((what) => `${hook.name}: ${what}`))
      const round = { fault: fault.name, took, targets, broken, told: load.history.length }
      rounds.push(round)
      if (!onRound(round)) break
      await load.renewFilters()
    }
  } finally {
    await load.stop()
    for (const hook of hooks) await hook.end?.()
  }
  return rounds
}

/** All members are present, and have connections as peers. */
export async function untilWhole(fleet: TestFleet): Promise<void> {
  await until('all members see all', async () => {
    const all = await Promise.all(
      fleet.members.map(({ url }) => askNode<Seen>(url, 'rsk_getFleetStatus', [])),
    )
    return all.every(
      ({ present, members }) =>
        present &&
        members.filter((member) => member.present && member.linked !== false).length ===
          fleet.members.length - 1,
    )
  })
}

/** Asks all members for what clients were told. */
async function judgeHistory(
  { history }: Load,
  fleet: TestFleet,
  members: readonly number[],
): Promise<readonly string[]> {
  // Behind a balancer a client may see another member's head.
  const entries = history.filter((entry) => entry.kind !== 'head' || entry.member !== BALANCER)
  const hashes = entries.flatMap((entry) => (entry.kind === 'acknowledged' ? [entry.hash] : []))
  const unknown = new Map<string, readonly string[]>()
  for (const { url, member } of fleet.members) {
    const missing = async () => {
      const found = await askAllPatiently<object | null>(
        url,
        'eth_getTransactionByHash',
        hashes.map((hash) => [hash]),
      )
      return hashes.filter((_, at) => found[at] === null)
    }
    // One that comes back asks the others for what it lacks.
    for (let look = 0; look < LOOKS && (await missing()).length > 0; look += 1) await sleep(500)
    unknown.set(memberName(member), await missing())
  }
  const polls = entries.flatMap((entry) => (entry.kind === 'polled' ? (entry.hashes ?? []) : []))
  const [first] = fleet.members
  const blocks = new Map<string, ShownBlock>()
  for (let asked = [...new Set(polls)]; asked.length > 0; ) {
    const found = await askAllPatiently<object | null>(
      first?.url ?? '',
      'eth_getBlockByHash',
      asked.map((hash) => [hash, false]),
    )
    for (const block of found) if (block !== null) blocks.set(shownBlock(block).hash, shownBlock(block))
    const lowest = Math.min(...[...blocks.values()].map(({ number }) => number))
    asked = [...blocks.values()].flatMap(({ number, parentHash }) =>
      number > lowest && !blocks.has(parentHash) ? [parentHash] : [],
    )
  }
  const hit = new Set(members.length === 0 ? [] : [...members.map(memberName), BALANCER])
  return checkHistory(entries, { unknown, blocks, hit })
}

function judge(load: Load, { hit }: Fault): readonly TargetRound[] {
  return load.targets.map((target): TargetRound => {
    const answered = load.answered.filter((request) => request.target === target)
    const times = answered
      .filter(({ failure }) => failure === null)
      .map(({ took }) => took)
      .sort((one, other) => one - other)
    const at = (share: number) =>
      Math.round(times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0)
    const failed = { read: 0, send: 0, poll: 0 }
    let notHere = 0
    const texts = new Map<string, number>()
    for (const { kind, failure } of answered) {
      if (failure === null) continue
      failed[kind] += 1
      if (NOT_HERE.test(failure)) notHere += 1
      texts.set(failure, (texts.get(failure) ?? 0) + 1)
    }
    return {
      target,
      isHit: hit.some((member) => memberName(member) === target),
      requests: answered.length,
      failed,
      notHere,
      p50: at(0.5),
      p99: at(0.99),
      longest: Math.round(times.at(-1) ?? 0),
      failures: [...texts].map(([text, count]) => `${count} × ${text}`),
    }
  })
}

const WAIT = /^rhizome_(fleet_wait|block_wait)_seconds_bucket\{(?:reason="(\w+)",)?le="([^"]+)"\} (\d+)$/gm

/** What a member says of how long it made requests wait. */
export async function readWaits(origin: string): Promise<WaitTable> {
  const response = await fetch(new URL('/metrics', origin))
  const table: Record<string, Record<string, number>> = {}
  for (const [, , reason = 'block', bound = '', count] of (await response.text()).matchAll(WAIT)) {
    const row = table[reason] ?? {}
    row[bound] = Number(count)
    table[reason] = row
  }
  return table
}
