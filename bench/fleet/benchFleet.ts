import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { ROOT } from '../../test/support/sources.ts'
import { Generator } from '../load/generator.ts'
import { describeMachine } from '../report/machine.ts'
import { RESULTS_FOLDER, type Row, type Section, saveSections } from '../report/results.ts'
import { HEAD_MEMBERS, type HeadTimes, measureHeads, type StepsBack } from './headTimes.ts'
import { countMessages, type Messages } from './messages.ts'
import { type Comparison, compareIdle, compareLoads, type Idle } from './offeredLoad.ts'
import { FLEET_PARTS, type FleetBenchOptions, type FleetPart, parseFleetOptions } from './options.ts'

/** Files of fleets alone outside of `src/fleet`, by their names, and lines that name a fleet in all others. */
const OUTSIDE = 'fleet|chainSharing|announcedBlocks|trustedPeers|othersUse'
const COUNT_INSIDE = 'git ls-files src/fleet | grep "\\.ts$" | xargs cat | wc -l'
const COUNT_FILES = `git ls-files src | grep -v ^src/fleet/ | grep -iE "(${OUTSIDE}).*\\.ts$" | xargs cat | wc -l`
const COUNT_NAMED = `git ls-files src | grep "\\.ts$" | grep -viE "(${OUTSIDE})" | xargs cat | grep -ci fleet`

/** `bench -- fleet`: writes `bench/results/fleet.{md,json}` after each part, beside what other parts showed before. */
export async function benchFleet(args: string[]): Promise<void> {
  const options = parseFleetOptions(args)
  const { parts } = options
  if (parts.has('idle'))
    await benchEach('idle', options, compareIdle, (idles: readonly Idle[]) => idleSection(idles, options))
  if (parts.has('load'))
    await benchEach('load', options, compareLoads, (all: readonly Comparison[]) => loadSection(all, options))
  if (parts.has('heads')) {
    const times = await measureHeads(options)
    save('heads', times, [headSection(times)])
  }
  if (parts.has('messages')) {
    const messages = await countMessages(options)
    save('messages', messages, [messageSection(messages)])
  }
  if (parts.has('size')) save('size', null, [sizeSection()])
}

/** Measures one number of members after the other. */
async function benchEach<T extends { readonly members: number }>(
  part: FleetPart,
  options: FleetBenchOptions,
  compare: (options: FleetBenchOptions, members: number, generator: Generator) => Promise<T | readonly T[]>,
  sectionOf: (all: readonly T[]) => Section,
): Promise<void> {
  const generator = new Generator()
  const before = keptParts()[part]?.detail
  const kept = (Array.isArray(before) ? (before as readonly T[]) : []).filter(
    ({ members }) => !options.members.includes(members),
  )
  try {
    for (const members of options.members) {
      kept.push(...([await compare(options, members, generator)].flat() as T[]))
      kept.sort((one, other) => one.members - other.members)
      save(part, kept, [sectionOf(kept)])
    }
  } finally {
    generator.close()
  }
}

/** A part keeps its sections when another one is measured, and numbers of members theirs. */
function save(part: FleetPart, detail: unknown, sections: readonly Section[]): void {
  const all: Kept = { ...keptParts(), [part]: { detail, sections } }
  const inOrder = FLEET_PARTS.flatMap((name) => all[name]?.sections ?? [])
  saveSections('fleet', describeMachine(), inOrder, all)
}

/** What was measured before; nothing where the file is of another form. */
function keptParts(): Kept {
  const path = `${RESULTS_FOLDER}fleet.json`
  if (!existsSync(path)) return {}
  const { detail } = JSON.parse(readFileSync(path, 'utf8')) as { readonly detail?: unknown }
  return isKept(detail) ? detail : {}
}

type Kept = Partial<Record<FleetPart, { readonly detail: unknown; readonly sections: readonly Section[] }>>

function isKept(value: unknown): value is Kept {
  return Object.values(value ?? {}).every((part) => Array.isArray((part as { sections?: unknown }).sections))
}

function loadSection(comparisons: readonly Comparison[], { seconds }: FleetBenchOptions): Section {
  const rows = comparisons.map(({ members, rate, pairs }): Row => {
    const ratios = pairs.map(({ fleet, peers }) => fleet.nodes / peers.nodes)
    const of = (value: (pair: (typeof pairs)[number]) => number) => median(pairs.map(value))
    return {
      members,
      'requests/s': rate,
      pairs: pairs.length,
      failures: pairs.reduce((sum, { fleet, peers }) => sum + fleet.failures + peers.failures, 0),
      'fleet to peers': median(ratios).toFixed(3),
      from: Math.min(...ratios).toFixed(3),
      to: Math.max(...ratios).toFixed(3),
      'fleet, s per 1,000': of(({ fleet }) => fleet.nodes).toFixed(3),
      'peers, s per 1,000': of(({ peers }) => peers.nodes).toFixed(3),
      'NATS, s per 1,000': of(({ fleet }) => fleet.nats).toFixed(3),
    }
  })
  return {
    title: 'Processor time beside as many nodes without a fleet',
    note: `The same load for ${seconds} s, at a fleet and at nodes that are peers of one another, by turns; blocks every 2 s that one of them makes, 5 sends a second at nodes in turn. Median of the pairs, NATS apart.`,
    rows,
  }
}

function idleSection(idles: readonly Idle[], { seconds }: FleetBenchOptions): Section {
  const rows = idles.map(({ members, ofMember, ofPeer, ofNats }) => ({
    members,
    'a member, ms/s': ofMember.toFixed(1),
    'a peer, ms/s': ofPeer.toFixed(1),
    'beside that': (ofMember - ofPeer).toFixed(1),
    'NATS, ms/s': ofNats.toFixed(1),
  }))
  return { title: 'Nobody asks', note: `For ${3 * seconds} s; blocks every 2 s.`, rows }
}

function headSection({ blocks, skews, ...clients }: HeadTimes): Section {
  const sorted = [...skews].sort((one, other) => one - other)
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
  const row = (client: string, { reads, back, refused }: StepsBack): Row => ({
    client,
    reads,
    'steps back': back,
    'for each block': (back / blocks).toFixed(2),
    refused,
  })
  return {
    title: 'Heads of three members',
    note: `${blocks} blocks. Between the first and the last of ${HEAD_MEMBERS} members that tells a block by \`newHeads\`: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms. Clients take a member at random for each \`eth_blockNumber\`.`,
    rows: [
      row('without a pause', clients.withoutPause),
      row('each 100 ms', clients.each100ms),
      row('without a pause, X-Min-Block', clients.withMinBlock),
    ],
  }
}

function messageSection({ idle, head, send, poll }: Messages): Section {
  return {
    title: 'Messages on NATS',
    note: `Published by ${HEAD_MEMBERS} members; hops are messages one after the other that a client waits for.`,
    rows: [
      { what: 'presence, a second', messages: idle, hops: 0 },
      { what: 'a block, beside that', messages: head.toFixed(1), hops: 1 },
      { what: 'a send', messages: send.toFixed(1), hops: 2 },
      { what: 'a poll at another member', messages: poll.toFixed(1), hops: 2 },
    ],
  }
}

function sizeSection(): Section {
  const count = (command: string) =>
    Number(execFileSync('sh', ['-c', command], { cwd: ROOT, encoding: 'utf8' }).trim())
  return {
    title: 'Lines of source',
    note: 'At most 3,500 in the folder and 1,200 outside.',
    rows: [
      { where: 'src/fleet', lines: count(COUNT_INSIDE), command: inTable(COUNT_INSIDE) },
      { where: 'files of fleets outside', lines: count(COUNT_FILES), command: inTable(COUNT_FILES) },
      {
        where: 'lines that name a fleet in others',
        lines: count(COUNT_NAMED),
        command: inTable(COUNT_NAMED),
      },
    ],
  }
}

function inTable(command: string): string {
  return `\`${command.replaceAll('|', '\\|')}\``
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
