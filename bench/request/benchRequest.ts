import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runCount } from '../../test/guard/countCosts.ts'
import type { Bytes, Cost } from '../../test/guard/counting.ts'
import { type Access, pageHeaders, pathOf } from '../../test/guard/lightScene.ts'
import { LOADER } from '../../test/support/sources.ts'
import { Generator, type LoadOptions } from '../load/generator.ts'
import { describeMachine } from '../report/machine.ts'
import { type Row, type Section, saveSections } from '../report/results.ts'
import { ACCESSES, BODY, labelOf, SOCKETS } from './ledgerRows.ts'
import { HTTP_STAGES, SOCKET_STAGES, type Stage } from './stages.ts'

/** Ports of the stages, by their position. */
export interface StagePorts {
  readonly http: readonly number[]
  readonly socket: readonly number[]
}

/** The servers of one kind of access. */
interface Servers {
  readonly child: ChildProcess
  readonly ports: StagePorts
}

interface Options {
  readonly load: LoadOptions
  readonly runs: number
  readonly accesses: readonly Access[]
  readonly isTimed: boolean
}

/** A way that requests come. */
interface Transport {
  readonly name: string
  readonly stages: readonly Stage[]
  readonly urlOf: (ports: StagePorts, position: number, access: Access) => string
  readonly headers: readonly string[]
}

/** What was counted with a script in position of the socket library. */
interface Counts {
  readonly calls: Readonly<Record<string, Cost>>
  readonly bytes: Readonly<Record<string, Bytes>>
  /** Nanoseconds of one thread. */
  readonly alone: Readonly<Record<string, number>>
}

/** Headers of a page beside those that the generator sends. */
const MORE_HEADERS = pageHeaders(0)
  .filter(([name]) => !['host', 'content-type', 'content-length'].includes(name))
  .map(([name, value]) => `${name}: ${value}`)

const TRANSPORTS: readonly Transport[] = [
  ...(['3 headers', '9 headers'] as const).map((name) => ({
    name,
    stages: HTTP_STAGES,
    urlOf: ({ http }: StagePorts, position: number, access: Access) =>
      `http://127.0.0.1:${http[position]}${pathOf(access)}`,
    headers: name === '3 headers' ? [] : MORE_HEADERS,
  })),
  {
    name: SOCKETS,
    stages: SOCKET_STAGES,
    urlOf: ({ socket }, position, access) => `ws://127.0.0.1:${socket[position]}${pathOf(access)}`,
    headers: [],
  },
]

/** `bench -- request`. */
export async function benchRequest(args: string[]): Promise<void> {
  const options = readOptions(args)
  const machine = describeMachine()
  const program = fileURLToPath(new URL('stageCounts.ts', import.meta.url))
  const [calls, bytes] = await Promise.all([
    runCount<Record<string, Cost>>(program, 'calls'),
    runCount<Record<string, Bytes>>(program, 'bytes'),
  ])
  // Alone on its processor.
  const alone = await runCount<Record<string, number>>(program, 'time')
  const sections: Section[] = []
  const detail: Record<string, unknown> = {}
  const generator = options.isTimed ? new Generator() : null
  for (const access of options.accesses) {
    const servers = generator === null ? null : await startServers(access)
    try {
      for (const transport of TRANSPORTS) {
        const times =
          servers === null || generator === null
            ? null
            : await measure(servers, transport, access, generator, options)
        const title = `${access}, ${transport.name}`
        detail[title] = times
        sections.push({ title, rows: rowsOf(transport, access, times, { calls, bytes, alone }) })
      }
    } finally {
      servers?.child.kill()
    }
  }
  generator?.close()
  saveSections('request', machine, sections, { options, calls, bytes, alone, times: detail })
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      connections: { type: 'string', default: '64' },
      runs: { type: 'string', default: '9' },
      seconds: { type: 'string', default: '0.5' },
      access: { type: 'string', multiple: true },
      'no-time': { type: 'boolean', default: false },
    },
  })
  const { access: asked } = values
  return {
    load: { connections: Number(values.connections), seconds: Number(values.seconds) },
    runs: Number(values.runs),
    accesses: ACCESSES.filter((access) => asked === undefined || asked.includes(access)),
    isTimed: !values['no-time'],
  }
}

async function startServers(access: Access): Promise<Servers> {
  const { NODE_OPTIONS: _, ...env } = process.env
  const program = fileURLToPath(new URL('stageServer.ts', import.meta.url))
  const child = fork(program, [access], { execArgv: ['--import', LOADER], env })
  const [ports] = (await once(child, 'message')) as [StagePorts]
  return { child, ports }
}

/** Microseconds of processor time for a request, of each stage in each turn. */
async function measure(
  { child, ports }: Servers,
  { stages, urlOf, headers }: Transport,
  access: Access,
  generator: Generator,
  { load, runs }: Options,
): Promise<number[][]> {
  const file = generator.write([BODY])
  const samples = stages.map((): number[] => [])
  const order = [...stages.keys()].reverse()
  for (let run = 0; run <= runs; run += 1) {
    for (const position of run % 2 === 0 ? order : order.toReversed()) {
      const before = await usageOf(child)
      const { outcomes, firstFailure } = await generator.load(urlOf(ports, position, access), file, {
        ...load,
        headers,
      })
      if (firstFailure !== null) throw new Error(`${access}, ${stages[position]?.name}: ${firstFailure}`)
      const after = await usageOf(child)
      // The first turn has what is not compiled yet.
      if (run > 0) samples[position]?.push((after - before) / outcomes.results)
    }
  }
  return samples
}

/** Microseconds of processor time. */
async function usageOf(child: ChildProcess): Promise<number> {
  const answer = once(child, 'message')
  child.send('usage')
  const [{ user, system }] = (await answer) as [NodeJS.CpuUsage]
  return user + system
}

function rowsOf(
  { name, stages }: Transport,
  access: Access,
  times: readonly (readonly number[])[] | null,
  { calls, bytes, alone }: Counts,
): Row[] {
  return stages.map((stage, position): Row => {
    const label = labelOf(access, name, stage.name)
    const before = position === 0 ? '' : labelOf(access, name, stages[position - 1]?.name ?? '')
    const added = (of: (key: string) => number) => of(label) - (position === 0 ? 0 : of(before))
    const timed = times === null ? {} : timesOf(times, position)
    return {
      concern: stage.name,
      ...timed,
      'ns without sockets': added((key) => alone[key] ?? 0),
      'heap bytes': whole(added((key) => bytes[key]?.heap ?? 0)),
      'buffer bytes': whole(added((key) => bytes[key]?.buffers ?? 0)),
      functions: signed(added((key) => sumOf(calls[key]?.functions ?? {}))),
      'library calls': signed(added((key) => sumOf(calls[key]?.library ?? {}))),
      'core calls': signed(added((key) => sumOf(calls[key]?.addon ?? {}))),
    }
  })
}

/** What a stage takes beside the one before, turn by turn, and in all. */
function timesOf(times: readonly (readonly number[])[], position: number): Row {
  const own = times[position] ?? []
  const before = times[position - 1]
  const added = own.map((time, run) => 1000 * (time - (before?.[run] ?? 0)))
  const sorted = added.toSorted((one, other) => one - other)
  const quarter = Math.floor(sorted.length / 4)
  return {
    ns: Math.round(medianOf(added)),
    'middle half': `${Math.round(sorted[quarter] ?? 0)} to ${Math.round(sorted[sorted.length - 1 - quarter] ?? 0)}`,
    'µs so far': medianOf(own).toFixed(2),
  }
}

function sumOf(values: Readonly<Record<string, number>>): number {
  return Object.values(values).reduce((sum, value) => sum + value, 0)
}

/** Without a negative zero. */
function whole(value: number): number {
  return Math.round(value) + 0
}

function signed(value: number): string {
  return String(Math.round(value * 10) / 10)
}

function medianOf(list: readonly number[]): number {
  const sorted = list.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
