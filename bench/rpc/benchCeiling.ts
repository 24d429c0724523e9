import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Generator, type LoadOptions } from '../load/generator.ts'
import { readNamedBuilds } from '../namedBuilds.ts'
import { describeMachine } from '../report/machine.ts'
import { type Row, saveSections } from '../report/results.ts'
import { Contender } from './contender.ts'
import { type Peer, startAnvil, startRhizome } from './peers.ts'
import { processorTimes } from './processStats.ts'
import { textOf, type Workload } from './requests.ts'
import { setUpScene } from './setup.ts'

export const CEILING_HELP = `bench -- ceiling: processor time of a request beside that of the socket library alone, which reads the same requests
and sends as many bytes back; by turns, medians; writes bench/results/ceiling.{md,json}

  --before NAME=DIR   another build: a folder with dist/ and native/addon/; may be repeated
  --only TEXT         only workloads whose name contains the text; may be repeated (default: those that are answered
                      without work)
  --connections LIST  of the closed loop (default 16,64)
  --rate N            requests per second of the open loop over 64 connections; 0 for none (default 30000)
  --runs N            turns (default 7)
  --seconds N         length of one measurement (default 1)
  --warm-up N         seconds of load on each before its first measurement (default 1)
  --arg TEXT          option of the nodes, such as --arg=--profile=hosted; may be repeated
  --alone             without anvil`

/** Rows that are answered without work. */
const LIGHT = [
  'eth_chainId',
  'eth_blockNumber',
  'eth_getBalance latest',
  'eth_getTransactionCount',
  'eth_getStorageAt',
]
const OPEN_CONNECTIONS = 64
const SCENE = { transfers: 50, accounts: 100, sparseBlocks: 0 }

interface Options {
  readonly before: readonly (readonly [name: string, folder: string])[]
  readonly only: readonly string[] | null
  readonly connections: readonly number[]
  readonly rate: number
  readonly runs: number
  readonly seconds: number
  readonly warmUp: number
  readonly args: readonly string[]
  readonly alone: boolean
}

/** Whoever is loaded. */
interface Side {
  readonly name: string
  readonly pid: number
  /** The address for requests of a workload, and the file that they are in. */
  target(workload: Workload): Promise<{ readonly url: string; readonly file: string }>
}

interface Sample {
  readonly perSecond: number
  readonly p99: number
  /** Microseconds of processor time for a request: in the program, and in all. */
  readonly user: number
  readonly all: number
}

/** `bench -- ceiling`. */
export async function benchCeiling(args: string[]): Promise<void> {
  const options = readOptions(args)
  const machine = describeMachine()
  const generator = new Generator()
  const peers: Peer[] = []
  const bare = await startBare()
  try {
    const node = async (name: string, program?: string) => {
      const peer = await startRhizome(options.args, name, program)
      peers.push(peer)
      return new Contender(peer, await setUpScene(peer, SCENE), generator)
    }
    const own = await node('this build')
    const contenders = [own]
    for (const [name, folder] of options.before)
      contenders.push(await node(name, `${folder}/dist/cli/main.js`))
    const anvil = options.alone ? null : await startAnvil()
    if (anvil !== null) {
      peers.push(anvil)
      contenders.push(new Contender(anvil, await setUpScene(anvil, SCENE), generator))
    }
    const sides = [bareSide(bare, own, generator), ...contenders.map(sideOf)]
    const rows: Row[] = []
    const detail: Record<string, unknown> = {}
    const note =
      `Medians of ${options.runs} turns of ${options.seconds} s. Processor time is that of the whole process for one ` +
      'answer, user time the part outside of the kernel.'
    for (const workload of own.workloads.filter(({ name }) => isAsked(name, options.only))) {
      for (const load of loadsOf(options)) {
        const samples = await measure(sides, workload, load, options, generator)
        const label = load.rate === undefined ? `${load.connections} connections` : `${load.rate}/s`
        detail[`${workload.name}, ${label}`] = Object.fromEntries(samples)
        rows.push(...rowsOf(workload.name, label, samples))
      }
      // A run that breaks off leaves what it has.
      saveSections('ceiling', machine, [{ title: 'Ceiling', note, rows }], { options, detail })
    }
  } finally {
    bare.kill()
    await Promise.all(peers.map((peer) => peer.stop()))
    generator.close()
  }
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      before: { type: 'string', multiple: true, default: [] },
      only: { type: 'string', multiple: true },
      connections: { type: 'string', default: '16,64' },
      rate: { type: 'string', default: '30000' },
      runs: { type: 'string', default: '7' },
      seconds: { type: 'string', default: '1' },
      'warm-up': { type: 'string', default: '1' },
      arg: { type: 'string', multiple: true, default: [] },
      alone: { type: 'boolean', default: false },
    },
  })
  return {
    before: readNamedBuilds(values.before),
    only: values.only ?? null,
    connections: values.connections.split(',').map(Number),
    rate: Number(values.rate),
    runs: Number(values.runs),
    seconds: Number(values.seconds),
    warmUp: Number(values['warm-up']),
    args: values.arg,
    alone: values.alone,
  }
}

function isAsked(name: string, only: readonly string[] | null): boolean {
  return only === null
    ? LIGHT.some((light) => name.startsWith(light))
    : only.some((part) => name.includes(part))
}

function loadsOf({ connections, rate, seconds }: Options): LoadOptions[] {
  const closed = connections.map((count): LoadOptions => ({ seconds, connections: count }))
  return rate === 0 ? closed : [...closed, { seconds, connections: OPEN_CONNECTIONS, rate }]
}

async function startBare() {
  const program = fileURLToPath(new URL('bareServer.mjs', import.meta.url))
  const { NODE_OPTIONS: _, ...env } = process.env
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'], env })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { pid } = child
  if (pid === undefined) throw new Error('the bare server did not start')
  return { pid, port: Number(line.toString()), kill: () => child.kill() }
}

/** The library alone, given what a node is asked, and answering with as many bytes as it does. */
function bareSide(bare: { pid: number; port: number }, node: Contender, generator: Generator): Side {
  const targets = new Map<string, { url: string; file: string }>()
  return {
    name: 'bare library',
    pid: bare.pid,
    target: async ({ name, transport, bodies }) => {
      const known = targets.get(name)
      if (known !== undefined) return known
      const texts = bodies().map(textOf)
      const response = await fetch(node.peer.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: texts[0] as string,
      })
      const { byteLength } = await response.arrayBuffer()
      const scheme = transport === 'ws' ? 'ws' : 'http'
      const target = { url: `${scheme}://127.0.0.1:${bare.port}/${byteLength}`, file: generator.write(texts) }
      targets.set(name, target)
      return target
    },
  }
}

function sideOf(contender: Contender): Side {
  const { name, pid, url, socketUrl } = contender.peer
  if (pid === null) throw new Error(`${name} is not on this machine`)
  return {
    name,
    pid,
    target: async (workload) => ({
      url: workload.transport === 'ws' ? (socketUrl ?? url) : url,
      file: await contender.requestsOf(contender.workload(workload.name) ?? workload),
    }),
  }
}

async function measure(
  sides: readonly Side[],
  workload: Workload,
  load: LoadOptions,
  { runs, warmUp }: Options,
  generator: Generator,
): Promise<Map<string, Sample[]>> {
  const samples = new Map<string, Sample[]>(sides.map(({ name }) => [name, []]))
  for (let run = 0; run <= runs; run += 1) {
    const isWarmUp = run === 0
    for (const side of run % 2 === 0 ? sides : sides.toReversed()) {
      const { url, file } = await side.target(workload)
      const before = processorTimes(side.pid)
      const stats = await generator.load(url, file, { ...load, seconds: isWarmUp ? warmUp : load.seconds })
      const after = processorTimes(side.pid)
      if (stats.failures > 0) throw new Error(`${side.name}, ${workload.name}: ${stats.firstFailure}`)
      if (isWarmUp) continue
      const micros = (from: number, to: number) => ((to - from) / stats.outcomes.results) * 1e6
      samples.get(side.name)?.push({
        perSecond: stats.requestsPerSecond,
        p99: stats.p99,
        user: micros(before.user, after.user),
        all: micros(before.user + before.system, after.user + after.system),
      })
    }
  }
  return samples
}

function rowsOf(workload: string, load: string, samples: ReadonlyMap<string, readonly Sample[]>): Row[] {
  const bare = medianOf(samples.get('bare library') ?? [], ({ all }) => all)
  return [...samples].map(([name, list]): Row => {
    const all = medianOf(list, (sample) => sample.all)
    return {
      work: workload,
      load,
      who: name,
      'requests/s': Math.round(medianOf(list, ({ perSecond }) => perSecond)),
      µs: all.toFixed(2),
      'user µs': medianOf(list, ({ user }) => user).toFixed(2),
      'beside bare': (all / bare).toFixed(2),
      'p99 ms': medianOf(list, ({ p99 }) => p99).toFixed(2),
    }
  })
}

function medianOf(list: readonly Sample[], value: (sample: Sample) => number): number {
  const sorted = list.map(value).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
