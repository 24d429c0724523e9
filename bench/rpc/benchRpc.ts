import { Generator } from '../load/generator.ts'
import { describeMachine } from '../report/machine.ts'
import { barChart } from '../report/plot.ts'
import { type Section, saveSections } from '../report/results.ts'
import { CACHE_OFF, type ClosedLoopResult, measureClosedLoop } from './closedLoop.ts'
import { Contender } from './contender.ts'
import { type IngestResult, ingestRow, measureIngest } from './ingest.ts'
import { measureOpenLoop, type OpenLoopResult, openLoopRow } from './openLoop.ts'
import { type RpcOptions, readRpcOptions } from './options.ts'
import { connectPeer, type Peer, startAnvil, startGeth, startRhizome } from './peers.ts'
import { figureRows, ratioRows } from './ratios.ts'
import { setUpScene } from './setup.ts'
import { measureSubscribers, type SubscriberResult, subscriberRow } from './subscribers.ts'
import { measureSweep, type SweepResult, sweepRows } from './sweep.ts'
import { measureWorkers, type WorkersResult, workersRow } from './workers.ts'
import { MIX_SHARES } from './workloads.ts'

const OWN = 'rhizome'
const SENT_BY_EACH = 12
/** Gas limit for a block of one second of transfers, as that of the peers. */
const INTERVAL_ARGS = ['--block-time', '1', '--target-gas-limit', '30000000']

/** Results so far. */
interface Findings {
  readonly closed: ClosedLoopResult[]
  readonly open: OpenLoopResult[]
  readonly subscribers: SubscriberResult[]
  readonly sends: IngestResult[]
  readonly workers: WorkersResult[]
  readonly sweep: SweepResult[]
  /** Failed measurements, and why. */
  readonly problems: string[]
}

/**
 * `bench -- rpc`: the same scene on every node through plain JSON-RPC, then the same load on each in turn. Requests
 * that repeat are answered from this node's cache, so it takes part twice: as it is, and without that cache.
 */
export async function benchRpc(args: string[]): Promise<void> {
  const options = readRpcOptions(args)
  const machine = describeMachine()
  const findings: Findings = {
    closed: [],
    open: [],
    subscribers: [],
    sends: [],
    workers: [],
    sweep: [],
    problems: [],
  }
  const generator = new Generator()
  const peers: Peer[] = []
  try {
    if (options.sections.has('workers')) {
      await attempt('one worker and two', findings, async () => {
        findings.workers.push(...(await measureWorkers(generator, options)))
      })
    }
    const others = ['closed', 'open', 'subscribers', 'send', 'sweep'] as const
    if (others.some((name) => options.sections.has(name)))
      await measurePeers(options, generator, peers, findings)
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()))
  }
  try {
    if (options.sections.has('send')) await measureIntervalIngest(generator, options, findings)
  } finally {
    generator.close()
  }
  saveSections('rpc', machine, sectionsOf(findings), {
    options: { ...options, sections: undefined },
    ...findings,
  })
}

/** All measurements of nodes with the same scene. */
async function measurePeers(
  options: RpcOptions,
  generator: Generator,
  peers: Peer[],
  findings: Findings,
): Promise<void> {
  await startPeers(options, peers)
  say(`scene on ${peers.map(({ name }) => name).join(', ')}`)
  const contenders = await Promise.all(
    peers.map(async (peer) => new Contender(peer, await setUpScene(peer, options), generator)),
  )
  if (options.sections.has('sweep')) {
    await attempt('sweep of connections', findings, async () => {
      findings.sweep.push(...(await measureSweep(contenders, options)))
    })
  }
  await measureLoops(contenders, options, findings)
  if (options.sections.has('subscribers')) await measureFanOut(contenders, generator, options, findings)
  if (options.sections.has('send')) {
    for (const { peer } of contenders) {
      if (peer.name === CACHE_OFF) continue
      await ingest(peer, generator, options, 'one for each transaction', findings)
    }
  }
}

async function startPeers({ alone, cacheOff, peers: named }: RpcOptions, peers: Peer[]): Promise<void> {
  peers.push(await startRhizome([]))
  if (cacheOff) peers.push(await startRhizome(['--response-cache', '0'], CACHE_OFF))
  for (const start of alone ? [] : [startAnvil, startGeth]) {
    const peer = await start()
    if (peer !== null) peers.push(peer)
  }
  peers.push(...named.map(connectPeer))
}

async function measureLoops(
  contenders: readonly Contender[],
  options: RpcOptions,
  findings: Findings,
): Promise<void> {
  const { closed, open } = findings
  const names = (contenders[0]?.workloads ?? [])
    .map(({ name }) => name)
    .filter((name) => options.only?.some((part) => name.includes(part)) ?? true)
  if (options.sections.has('closed')) {
    for (const name of names) {
      await attempt(name, findings, async () => {
        const result = await measureClosedLoop(contenders, name, options)
        closed.push(result)
        findings.problems.push(...Object.values(result.refusals))
      })
    }
  }
  if (!options.sections.has('open')) return
  const own = contenders.filter(({ peer }) => peer.name === OWN || peer.name === CACHE_OFF)
  const { seconds, connections, openConnections, share, warmUpSeconds } = options
  const load = { seconds, connections: openConnections, share, peakConnections: connections, warmUpSeconds }
  for (const name of names.filter((name) => name in MIX_SHARES || name.startsWith('traffic mix'))) {
    const known = closed.find(({ workload }) => workload === name)
    await attempt(`${name}, open loop`, findings, async () => {
      open.push(...(await measureOpenLoop(own, name, known, load)))
    })
  }
}

async function measureFanOut(
  contenders: readonly Contender[],
  generator: Generator,
  options: RpcOptions,
  findings: Findings,
): Promise<void> {
  const { subscribers } = findings
  for (const kind of ['newHeads', 'logs'] as const) {
    for (const count of options.subscribers) {
      for (const contender of contenders) {
        if (contender.name === CACHE_OFF || contender.peer.socketUrl === null) continue
        await attempt(`${count} subscribers of ${kind}, ${contender.name}`, findings, async () => {
          subscribers.push(await measureSubscribers(contender, generator, kind, count, options.events))
        })
      }
    }
  }
}

/** Separate nodes with a block every second: what is taken does not wait for blocks. */
async function measureIntervalIngest(
  generator: Generator,
  options: RpcOptions,
  findings: Findings,
): Promise<void> {
  const starts = [
    () => startRhizome(INTERVAL_ARGS),
    ...(options.alone ? [] : [() => startAnvil(['--block-time', '1'])]),
    ...(options.alone ? [] : [() => startGeth(['--dev.period', '1', '--dev.gaslimit', '30000000'])]),
  ]
  for (const start of starts) {
    const peer = await start()
    if (peer === null) continue
    try {
      await ingest(peer, generator, options, 'every second', findings)
    } finally {
      await peer.stop()
    }
  }
}

async function ingest(
  peer: Peer,
  generator: Generator,
  { connections, senders }: RpcOptions,
  mode: string,
  findings: Findings,
): Promise<void> {
  const size = { accounts: senders, perAccount: SENT_BY_EACH }
  await attempt(`eth_sendRawTransaction, blocks ${mode}, ${peer.name}`, findings, async () => {
    findings.sends.push(await measureIngest(peer, generator, { ...size, connections, mode }))
  })
}

/** A failed measurement does not prevent the others. */
async function attempt(what: string, { problems }: Findings, measure: () => Promise<void>): Promise<void> {
  try {
    await measure()
    say(`${what} done`)
  } catch (error) {
    const problem = `${what}: ${error instanceof Error ? error.message : String(error)}`
    problems.push(problem)
    say(problem)
  }
}

function sectionsOf({ closed, open, subscribers, sends, workers, sweep, problems }: Findings): Section[] {
  const sections: Section[] = []
  if (closed.length > 0) {
    const names = [...new Set(closed.flatMap(({ medians }) => Object.keys(medians)))]
    const series = names.map((name) => ({
      name,
      values: closed.map(({ medians }) => medians[name]?.requestsPerSecond ?? null),
    }))
    const svg = barChart(
      'Requests per second (logarithmic)',
      closed.map(({ workload }) => workload),
      series,
    )
    sections.push({
      title: 'Ratios',
      note:
        'Ratios of requests/s in one run; `CPU` marks those of server processor time per request, which count where ' +
        'the generator is the limit of either node: it has more than 90 % of a core, or both together more than ' +
        '90 % of the machine. `cache off` is this node without its cache of answers. RSKj (scaled) is its ' +
        'recorded figure times what anvil did here over the recorded figure of anvil. In brackets the target.',
      rows: ratioRows(closed, OWN),
      plot: { name: 'speeds', svg },
    })
    sections.push({ title: 'Figures', rows: figureRows(closed, OWN) })
  }
  if (open.length > 0) {
    sections.push({
      title: 'Latency at a fixed rate',
      note: 'Open loop at a part of the own peak; latencies count from when a request was due, queueing included.',
      rows: open.map(openLoopRow),
    })
  }
  if (subscribers.length > 0) {
    sections.push({
      title: 'Subscribers',
      note: 'Milliseconds from sending the transaction that makes the block to the notification.',
      rows: subscribers.map(subscriberRow),
    })
  }
  if (sends.length > 0) {
    const own = (mode: string) => sends.find((send) => send.node === OWN && send.mode === mode)
    sections.push({
      title: 'eth_sendRawTransaction',
      rows: sends.map((send) => ingestRow(send, own(send.mode))),
    })
  }
  if (workers.length > 0) {
    sections.push({
      title: 'Workers',
      note: 'Nodes with one worker for calls and with two, without the cache of answers, by turns.',
      rows: workers.map((result) => workersRow(result, workers[0])),
    })
  }
  if (sweep.length > 0) sections.push({ title: 'Connections of the closed loop', rows: sweepRows(sweep) })
  if (problems.length > 0) {
    sections.push({ title: 'Not measured', rows: problems.map((problem) => ({ problem })) })
  }
  return sections
}

function say(text: string): void {
  console.error(`${Math.round(performance.now() / 1000)} s: ${text}`)
}
