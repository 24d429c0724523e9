import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { TestFleet } from '../../test/fleet/cluster/testFleet.ts'
import { startNatsCluster } from '../../test/support/natsServer.ts'
import { Generator } from '../load/generator.ts'
import { describeMachine } from '../report/machine.ts'
import type { Row, Section } from '../report/results.ts'
import { chainFolder } from './chainFolder.ts'
import { measureFailovers, measureHeads } from './headTimes.ts'
import { type JetStreamSpeed, measureJetStream, percentiles } from './jetStream.ts'
import { type Joining, measureJoin } from './joining.ts'
import { savePart } from './keptParts.ts'
import { type LongSearch, measureSearches } from './longSearch.ts'
import { type OfferedLoad, offerLoad } from './offeredLoad.ts'
import { type FleetBenchOptions, type FleetPart, parseFleetOptions } from './options.ts'
import { LARGE_FLEET, mostMembers, simulationRows } from './simulation.ts'

const HEAD_MEMBERS = 3
const SEARCH_MEMBERS = 4

/** `bench -- fleet`: writes `bench/results/fleet.{md,json}` after each part, beside what other parts showed earlier. */
export async function benchFleet(args: string[]): Promise<void> {
  const options = parseFleetOptions(args)
  const machine = describeMachine()
  const save = (part: FleetPart, result: unknown, sections: readonly Section[]) =>
    savePart(part, machine, result, sections)
  const { parts } = options
  if (parts.has('jetstream')) {
    const speeds = await jetStreamSpeeds(options)
    save('jetstream', speeds, [jetStreamSection(speeds), simulationSection(speeds)])
  }
  if (parts.has('load')) {
    const ofRates: { readonly rate: number; readonly loads: readonly OfferedLoad[] }[] = []
    for (const rate of options.rates) {
      ofRates.push({ rate, loads: await offeredLoads(options, rate) })
      const sections = ofRates.map((ofRate) => loadSection(ofRate.loads, ofRate.rate, options))
      save('load', ofRates, sections)
    }
  }
  if (parts.has('heads') || parts.has('failover')) {
    const times = await headTimes(options)
    save('heads', times, [headSection(times)])
  }
  if (parts.has('join')) {
    const joining: Joining[] = []
    for (const blocks of options.joins) {
      joining.push(await measureJoin(await chainFolder(blocks), blocks, options))
      save('join', joining, [joinSection(joining)])
    }
  }
  if (parts.has('logs')) {
    const chain = await chainFolder(options.blocks)
    const searches = await measureSearches(chain, SEARCH_MEMBERS, options)
    save('logs', searches, [searchSection(searches, options)])
  }
}

async function jetStreamSpeeds({ servers, seconds }: FleetBenchOptions): Promise<JetStreamSpeed[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-bench-nats-'))
  const cluster = await startNatsCluster(servers, { folder })
  try {
    return await measureJetStream({ servers: cluster.urls, replicas: servers, seconds: seconds / 4 })
  } finally {
    await cluster.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

function jetStreamSection(speeds: readonly JetStreamSpeed[]): Section {
  const rows = speeds.map(({ work, perSecond, p50, p99 }) => ({
    work,
    'per second': perSecond,
    'p50 ms': p50,
    'p99 ms': p99,
  }))
  const note = 'Servers on this machine with a replica each, `sync_interval: always`; one process asks.'
  return { title: 'NATS', note, rows }
}

function simulationSection(speeds: readonly JetStreamSpeed[]): Section {
  const { members, clients, lease } = LARGE_FLEET
  return {
    title: `${members} members, ${clients} clients, computed`,
    note: `A lease of ${lease / 1000} s, a block every 25 s, 10 transactions a second, a tenth of the clients polls a filter every 4 s, 10,000 keys in use at 3 members each. What NATS delivered here is enough for ${mostMembers(LARGE_FLEET, speeds)} members.`,
    rows: simulationRows(LARGE_FLEET, speeds),
  }
}

async function offeredLoads(options: FleetBenchOptions, rate: number): Promise<OfferedLoad[]> {
  const generator = new Generator()
  try {
    const loads: OfferedLoad[] = []
    for (const members of [0, ...options.members])
      loads.push(
        await offerLoad(
          { ...options, rate, members, shares: options.members.filter((n) => n > 1) },
          generator,
        ),
      )
    return loads
  } finally {
    generator.close()
  }
}

function loadSection(
  loads: readonly OfferedLoad[],
  rate: number,
  { seconds, servers }: FleetBenchOptions,
): Section {
  const alone = loads.find(({ members }) => members === 0)
  const single = alone?.ofMembers ?? 0
  const ofShare = (members: number) => alone?.ofShares[members] ?? single
  const rows = loads.map(
    ({ members, answered, failures, p99, ofMembers, ofNats, idleOfMember, idleOfNats, blocks }): Row => ({
      members: members === 0 ? 'one node, no fleet' : members,
      answered,
      failures,
      'p99 ms': p99,
      blocks,
      'members, s per 1,000': ofMembers,
      'NATS, s per 1,000': ofNats,
      'together, to one node': (ofMembers + ofNats) / single,
      'one node with that share, s per 1,000': ofShare(members),
      'together, to such nodes': (ofMembers + ofNats) / ofShare(members),
      'idle: a member, ms/s': idleOfMember,
      'idle: NATS, ms/s': idleOfNats,
    }),
  )
  const note = `${rate} requests a second for ${seconds} s in all, with a key that has a rate and a quota, a block every 2 s, polls of filters at members chosen by turns, ${servers} servers of NATS. Processor time of members and of NATS.`
  return { title: `The same load on more members: ${rate.toLocaleString('en-US')} a second`, note, rows }
}

interface HeadFigures {
  readonly heads: Awaited<ReturnType<typeof measureHeads>>
  readonly failovers: readonly number[]
}

async function headTimes({ heads, failovers, servers, program }: FleetBenchOptions): Promise<HeadFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-bench-heads-'))
  const fleet = await TestFleet.start({
    folder,
    members: HEAD_MEMBERS,
    servers,
    program,
    args: ['--no-mining'],
  })
  try {
    return { heads: await measureHeads(fleet, heads), failovers: await measureFailovers(fleet, failovers) }
  } finally {
    await fleet.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function headSection({ heads, failovers }: HeadFigures): Section {
  const { p50, p99 } = percentiles(failovers)
  return {
    title: `Heads of ${HEAD_MEMBERS} members`,
    note: 'Of what `newHeads` tells: between the first member and the last; from the solution of a pool to the last member. Failover: from the kill of a member, in turn each, until the others tell of a further head; a lease is 3 s.',
    rows: [
      {
        what: `lag between members, ${heads.blocks} blocks`,
        'p50 ms': heads.lag.p50,
        'p99 ms': heads.lag.p99,
      },
      { what: 'solution to head everywhere', 'p50 ms': heads.whole.p50, 'p99 ms': heads.whole.p99 },
      { what: `failover, ${failovers.length} times`, 'p50 ms': p50, 'p99 ms': p99 },
    ],
  }
}

function joinSection(joining: readonly Joining[]): Section {
  return {
    title: 'Time until a member is ready',
    note: 'From the start of its process until `/ready`: with all of the chain on its disk; with nothing, from the newest signed snapshot (`--bootstrap fleet`), which has the state of its block and the newest blocks; with nothing, from the blocks of another member, each of which it executes. A token transfer in each block. Before: from the start of the first member until its snapshot is made and signed.',
    rows: joining.map(({ blocks, again, snapshot, fromSnapshot, fromBlocks }) => ({
      blocks,
      'started again, s': again,
      'from the snapshot, s': fromSnapshot,
      'from blocks, s': fromBlocks,
      'blocks/s': blocks / fromBlocks,
      'snapshot made after s': snapshot,
    })),
  }
}

function searchSection(searches: readonly LongSearch[], { blocks }: FleetBenchOptions): Section {
  const [first] = searches
  const runs = first?.runs ?? 0
  return {
    title: `eth_getLogs over ${blocks.toLocaleString('en-US')} blocks, ${SEARCH_MEMBERS} members`,
    note: `Each search is answered ${runs} times by a node alone and by the members in turn, one after the other; all have a copy of the same chain and one worker each. First answers after the start, and the median of those after. The members share the ${cpus().length} processors of this machine with each other.`,
    rows: searches.map(({ what, logs, bytes, isEqual, digest, alone, shared }) => ({
      search: what,
      logs,
      bytes,
      'equal bytes': isEqual ? `yes, SHA-256 ${digest.slice(0, 16)}` : '**no**',
      'alone, first ms': alone.first,
      'alone, ms': alone.median,
      'members, first ms': shared.first,
      'members, ms': shared.median,
    })),
  }
}
