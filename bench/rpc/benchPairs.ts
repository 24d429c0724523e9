import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Generator } from '../load/generator.ts'
import { describeMachine } from '../report/machine.ts'
import { type Row, saveSections } from '../report/results.ts'
import { type Comparison, comparePairs, type SpeedPair } from './comparePairs.ts'
import { Contender } from './contender.ts'
import { type Peer, startRhizome } from './peers.ts'
import { setUpScene } from './setup.ts'

export const PAIRS_HELP = `bench -- pairs: this build beside another build of this node, by turns; writes bench/results/pairs.{md,json}

  --before DIR        the other build: a folder with dist/ and native/addon/
  --starts N          times that the nodes are started anew (default 1); with more, an interval is that over the starts,
                      so that it also has what memory layout and compilation do to a process
  --runs N            pairs of measurements of each workload after each start (default 7)
  --seconds N         length of one measurement (default 1)
  --warm-up N         seconds of load on each node before its first measurement (default 1)
  --connections N     of the closed loop (default 64)
  --only TEXT         only workloads whose name contains the text; may be repeated
  --transfers N       blocks with a token transfer (default 300)
  --accounts N        accounts with funds and tokens (default 500)
  --sparse-blocks N   blocks with a log here and there (default 2000)`

interface PairOptions {
  readonly before: string
  readonly starts: number
  readonly runs: number
  readonly load: { readonly seconds: number; readonly connections: number }
  readonly warmUp: number
  readonly only: readonly string[] | null
  readonly size: { readonly transfers: number; readonly accounts: number; readonly sparseBlocks: number }
}

/** Two builds with the same options. */
interface Pair {
  /** Appended to the name of the workload. */
  readonly label: string
  readonly before: Contender
  readonly after: Contender
}

/**
 * `bench -- pairs`: what a change does to the speed of requests. Both builds have the same scene; every workload loads
 * them in turn, and the order changes from pair to pair, so that what else the machine does comes to both.
 */
export async function benchPairs(args: string[]): Promise<void> {
  const options = readOptions(args)
  const machine = describeMachine()
  const generator = new Generator()
  const speeds = new Map<string, SpeedPair[][]>()
  const problems = new Map<string, string>()
  try {
    for (let start = 0; start < options.starts; start += 1) {
      await measureStart(options, generator, speeds, problems)
    }
  } finally {
    generator.close()
  }
  const rows = [...speeds]
    .filter(([name]) => !problems.has(name))
    .map(([name, ofStarts]) =>
      rowOf(name, comparePairs(ofStarts.length > 1 ? ofStarts.map(meanOf) : ofStarts.flat())),
    )
  const missing = [...problems].map(([workload, problem]): Row => ({ workload, problem }))
  const note =
    `Requests/s of this build over those of the one before, ${options.runs} pairs of ${options.load.seconds} s by turns ` +
    `after each of ${options.starts} starts of the nodes: ` +
    'the mean of the ratios with its 95 % interval. A row is lower when the whole interval is below 1.'
  saveSections(
    'pairs',
    machine,
    [
      { title: 'Pairs', note, rows },
      ...(missing.length > 0 ? [{ title: 'Not measured', rows: missing }] : []),
    ],
    { options, rows },
  )
}

/** Starts all nodes, measures every workload and stops them. */
async function measureStart(
  options: PairOptions,
  generator: Generator,
  speeds: Map<string, SpeedPair[][]>,
  problems: Map<string, string>,
): Promise<void> {
  const peers: Peer[] = []
  try {
    const pairs = [
      await startPair(options, generator, peers, '', []),
      await startPair(options, generator, peers, ', cache off', ['--response-cache', '0']),
    ]
    for (const pair of pairs) {
      for (const { name, kind, transport } of pair.after.workloads) {
        if (options.only?.some((part) => name.includes(part)) === false) continue
        if (pair.label !== '' && (kind !== 'repeated' || transport !== 'http')) continue
        const row = `${name}${pair.label}`
        try {
          const measured = await measurePair(pair, name, options)
          speeds.set(row, [...(speeds.get(row) ?? []), measured])
          const { before, after } = meanOf(measured)
          console.error(`${row}: ${(after / before).toFixed(3)}`)
        } catch (error) {
          problems.set(row, String(error))
        }
      }
    }
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()))
  }
}

function readOptions(args: string[]): PairOptions {
  const { values } = parseArgs({
    args,
    options: {
      before: { type: 'string' },
      starts: { type: 'string', default: '1' },
      runs: { type: 'string', default: '7' },
      seconds: { type: 'string', default: '1' },
      'warm-up': { type: 'string', default: '1' },
      connections: { type: 'string', default: '64' },
      only: { type: 'string', multiple: true },
      transfers: { type: 'string', default: '300' },
      accounts: { type: 'string', default: '500' },
      'sparse-blocks': { type: 'string', default: '2000' },
    },
  })
  if (values.before === undefined) throw new Error('--before: the folder of the build to compare with')
  return {
    before: values.before,
    starts: Number(values.starts),
    runs: Number(values.runs),
    load: { seconds: Number(values.seconds), connections: Number(values.connections) },
    warmUp: Number(values['warm-up']),
    only: values.only ?? null,
    size: {
      transfers: Number(values.transfers),
      accounts: Number(values.accounts),
      sparseBlocks: Number(values['sparse-blocks']),
    },
  }
}

async function startPair(
  { before, size }: PairOptions,
  generator: Generator,
  peers: Peer[],
  label: string,
  args: readonly string[],
): Promise<Pair> {
  const start = async (name: string, program?: string) => {
    const peer = await startRhizome(args, `${name}${label}`, program)
    peers.push(peer)
    return new Contender(peer, await setUpScene(peer, size), generator)
  }
  return {
    label,
    before: await start('before', join(before, 'dist/cli/main.js')),
    after: await start('after'),
  }
}

async function measurePair(
  { before, after }: Pair,
  name: string,
  { runs, load, warmUp }: PairOptions,
): Promise<SpeedPair[]> {
  const speeds: SpeedPair[] = []
  const measure = async (contender: Contender, seconds: number, isWarmUp = false) => {
    const workload = contender.workload(name)
    if (workload === null) throw new Error('no such workload')
    if (workload.kind === 'distinct' && !isWarmUp) await contender.moveHead()
    const { requestsPerSecond } = await contender.measure(workload, { ...load, seconds })
    if (requestsPerSecond === 0 && !isWarmUp)
      throw new Error(`no answer within ${seconds} s: give more --seconds`)
    return requestsPerSecond
  }
  for (const contender of [before, after]) await measure(contender, warmUp, true)
  for (let run = 0; run < runs; run += 1) {
    const isFirst = run % 2 === 0
    const first = await measure(isFirst ? before : after, load.seconds)
    const second = await measure(isFirst ? after : before, load.seconds)
    speeds.push(isFirst ? { before: first, after: second } : { before: second, after: first })
  }
  return speeds
}

/** The geometric means of the pairs of one start. */
function meanOf(pairs: readonly SpeedPair[]): SpeedPair {
  const mean = (speed: (pair: SpeedPair) => number) =>
    Math.exp(pairs.reduce((sum, pair) => sum + Math.log(speed(pair)), 0) / pairs.length)
  return { before: mean(({ before }) => before), after: mean(({ after }) => after) }
}

function rowOf(workload: string, { before, after, ratio, low, high }: Comparison): Row {
  return {
    workload,
    'before/s': Math.round(before),
    'after/s': Math.round(after),
    ratio: Number(ratio.toFixed(3)),
    '95 %': `${low.toFixed(3)} to ${high.toFixed(3)}`,
    verdict: high < 1 ? '**lower**' : low > 1 ? 'higher' : 'as before',
  }
}
