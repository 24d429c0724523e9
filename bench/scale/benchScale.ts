import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Hex } from 'viem'
import { type NodeProcess, startNode } from '../../test/support/nodeProcess.ts'
import { generateChain } from '../chain/generateChain.ts'
import { ACCOUNTS_AT_ONCE, createWorkload } from '../chain/workloads.ts'
import { Generator, type LoadStats } from '../load/generator.ts'
import { describeMachine, type Machine } from '../report/machine.ts'
import { lineChart } from '../report/plot.ts'
import { type Row, type Section, saveSections, WORK_FOLDER } from '../report/results.ts'
import { ownMiB, processorSeconds, residentMiB } from '../rpc/processStats.ts'
import { textOf } from '../rpc/requests.ts'
import type { GrowthStats } from './grow.ts'
import { growKept, holdersAt, keptToken } from './keptStore.ts'
import type { ScaleOptions } from './options.ts'
import { createReads, type GrownChain } from './reads.ts'
import { type SoakStats, soak } from './soak.ts'

/** The median run of a kind of request. */
interface Read extends LoadStats {
  /** Processor time of the node for one request. */
  readonly microseconds: number
}

/** Everything measured at one size. */
interface Point {
  /** Blocks or accounts. */
  readonly size: number
  readonly growth: GrowthStats
  /** From the start of the process to its first answer, seconds, with the store there. */
  readonly startSeconds: number
  readonly reads: Readonly<Record<string, Read>>
  /** After all reads, MiB: the node's own memory, and with the pages of the stores. */
  readonly ownMiB: number
  readonly residentMiB: number
  readonly soak: SoakStats | null
}

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url))
const LARGE = 1e7
const START_TARGET_SECONDS = 2
const MEMORY_TARGET_MIB = 600
const MIX = 'traffic mix'

/** `bench -- scale`: a chain that grows in blocks, then one that grows in accounts, with the node on each. */
export async function benchScale(args: string[]): Promise<void> {
  const options = readOptions(args)
  const machine = describeMachine()
  const generator = new Generator()
  try {
    if (options.store !== null) return await measureKept(options.store, options, machine, generator)
    const blocks = await measureGrowth('holders', options.blocks, options, generator)
    const accounts = await measureGrowth('accounts', options.accounts, options, generator)
    const sections = [
      ...sectionsOf('Blocks', 'blocks', blocks),
      ...sectionsOf('Accounts', 'accounts', accounts),
    ]
    saveSections('scale', machine, sections, { options, blocks, accounts })
  } finally {
    generator.close()
  }
}

function readOptions(args: string[]): ScaleOptions {
  const { values } = parseArgs({
    args,
    options: {
      blocks: { type: 'string', default: '1000,10000,100000' },
      accounts: { type: 'string', default: '10000,100000,1000000' },
      large: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '2' },
      connections: { type: 'string', default: '64' },
      runs: { type: 'string', default: '1' },
      soak: { type: 'string', default: '0' },
      store: { type: 'string' },
      'grow-only': { type: 'boolean', default: false },
    },
  })
  if (values['grow-only'] && values.store === undefined) throw new Error('--grow-only needs --store DIR')
  const list = (text: string) => (text === '' ? [] : text.split(',').map(Number))
  return {
    blocks: list(values.blocks),
    accounts: [...list(values.accounts), ...(values.large ? [LARGE] : [])],
    seconds: Number(values.seconds),
    connections: Number(values.connections),
    runs: Number(values.runs),
    soakMinutes: Number(values.soak),
    store: values.store ?? null,
    isGrowthAlone: values['grow-only'],
  }
}

/** Stores that are kept below a folder: grown first, all of them, so that nothing else is in memory when they are read. */
async function measureKept(
  folder: string,
  options: ScaleOptions,
  machine: Machine,
  generator: Generator,
): Promise<void> {
  const grown = [...options.blocks]
    .sort((one, other) => one - other)
    .map((size) => ({ size, ...growKept(folder, size) }))
  for (const { dataDir, growth } of grown)
    say(`${dataDir}: block ${growth.height}, ${growth.blocks} of them new`)
  if (options.isGrowthAlone) return
  const token = hexOf(keptToken())
  const points: Point[] = []
  for (const { size, dataDir, growth } of grown) {
    const chain = { height: growth.height, accounts: holdersAt(growth.height), token }
    const minutes = size === grown.at(-1)?.size ? options.soakMinutes : 0
    points.push({ size, growth, ...(await measureNode(dataDir, chain, options, minutes, generator)) })
    say(`kept: ${size} done`)
  }
  saveSections('scale-kept', machine, sectionsOf('Blocks, every second one empty', 'blocks', points), {
    options,
    points,
  })
}

async function measureGrowth(
  workload: 'holders' | 'accounts',
  sizes: readonly number[],
  options: ScaleOptions,
  generator: Generator,
): Promise<Point[]> {
  const perBlock = workload === 'accounts' ? ACCOUNTS_AT_ONCE : 1
  const largest = Math.ceil(Math.max(0, ...sizes) / perBlock)
  if (largest === 0) return []
  const file = `${WORK_FOLDER}${workload}-${largest}x1.rlp`
  const report = (number: number) => {
    if (number % REPORT_EVERY === 0) say(`${workload}: ${number} of ${largest} blocks generated`)
  }
  await generateChain({ workload, blocks: largest, transactionsPerBlock: 1, file, onBlock: report })
  const { setup, contract } = createWorkload(workload)
  const token = workload === 'holders' ? hexOf(contract) : null
  const dataDir = mkdtempSync(join(tmpdir(), 'rhizome-scale-'))
  try {
    const points: Point[] = []
    for (const size of sizes) {
      const height = setup.length + Math.ceil(size / perBlock)
      const growth = runChild(file, dataDir, height)
      const chain = { height: growth.height, accounts: (growth.height - setup.length) * perBlock, token }
      const minutes = workload === 'holders' && size === sizes.at(-1) ? options.soakMinutes : 0
      points.push({ size, growth, ...(await measureNode(dataDir, chain, options, minutes, generator)) })
      say(`${workload}: ${size} done`)
    }
    return points
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const REPORT_EVERY = 5_000

function runChild(file: string, dataDir: string, height: number): GrowthStats {
  const args = [...process.execArgv, CHILD, file, dataDir, String(height)]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as GrowthStats
}

async function measureNode(
  dataDir: string,
  chain: GrownChain,
  options: ScaleOptions,
  soakMinutes: number,
  generator: Generator,
): Promise<Omit<Point, 'size' | 'growth'>> {
  const start = performance.now()
  const node: NodeProcess = await startNode({ dataDir, args: ['--log-level', 'warn'] })
  const startSeconds = (performance.now() - start) / 1000
  try {
    const reads: Record<string, Read> = {}
    let soaked: SoakStats | null = null
    let memory = { ownMiB: 0, residentMiB: 0 }
    for (const [name, bodies] of Object.entries(await createReads(node.url, chain))) {
      const requests = generator.write(bodies.map(textOf))
      const stats = await medianLoad(node, requests, options, generator)
      if (stats.failures > 0) throw new Error(`${name}: ${stats.firstFailure}`)
      reads[name] = stats
      memory = { ownMiB: ownMiB(node.pid), residentMiB: residentMiB(node.pid) }
      if (name !== MIX || soakMinutes === 0) continue
      const rate = Math.round(stats.requestsPerSecond / 2)
      soaked = await soak(node, generator, requests, rate, soakMinutes)
    }
    return { startSeconds, reads, ...memory, soak: soaked }
  } finally {
    await node.stop()
  }
}

async function medianLoad(
  { url, pid }: NodeProcess,
  requests: string,
  { seconds, connections, runs }: ScaleOptions,
  generator: Generator,
): Promise<Read> {
  const reads: Read[] = []
  for (let run = 0; run < runs; run += 1) {
    const before = processorSeconds(pid)
    const stats = await generator.load(url, requests, { seconds, connections })
    const used = processorSeconds(pid) - before
    reads.push({ ...stats, microseconds: (used / Math.max(1, stats.requests)) * 1e6 })
  }
  const failed = reads.find(({ failures }) => failures > 0)
  reads.sort((one, other) => one.requestsPerSecond - other.requestsPerSecond)
  return failed ?? (reads[Math.floor(reads.length / 2)] as Read)
}

function sectionsOf(title: string, unit: string, points: readonly Point[]): Section[] {
  if (points.length === 0) return []
  const names = Object.keys(points[0]?.reads ?? {})
  const rows = points.map(({ size, growth, startSeconds, reads, ...memory }): Row => {
    const speeds = names.map((name) => [name, Math.round(reads[name]?.requestsPerSecond ?? 0)])
    return {
      [unit]: size,
      'imported blocks/s': growth.blocks === 0 ? 'kept' : growth.blocks / growth.seconds,
      'import memory MiB': Math.round(growth.memoryMiB),
      'chain store MiB': growth.chainBytes / 2 ** 20,
      'state store MiB': growth.stateBytes / 2 ** 20,
      'bytes/block': Math.round((growth.chainBytes + growth.stateBytes) / growth.height),
      [`start s (< ${START_TARGET_SECONDS})`]: judged(startSeconds, START_TARGET_SECONDS),
      [`own memory MiB (< ${MEMORY_TARGET_MIB})`]: judged(memory.ownMiB, MEMORY_TARGET_MIB),
      'resident MiB': Math.round(memory.residentMiB),
      ...Object.fromEntries(speeds),
    }
  })
  const sizes = points.map(({ size }) => size)
  const series = names.map((name) => ({
    name,
    values: points.map(({ reads }) => reads[name]?.requestsPerSecond ?? null),
  }))
  const imports = {
    name: 'imported blocks/s',
    values: points.map(({ growth }) => (growth.blocks === 0 ? null : growth.blocks / growth.seconds)),
  }
  const svg = lineChart(`Speed by number of ${unit}`, sizes, [...series, imports])
  const note =
    'Reads in requests/s of a closed loop all over chain and state; imports of the blocks since the size before.'
  const times = points.map(({ size, reads }): Row => {
    const row = names.map((name) => [name, Number((reads[name]?.microseconds ?? 0).toPrecision(3))])
    return { [unit]: size, ...Object.fromEntries(row) }
  })
  const timesNote = 'Processor time of the node for one of these requests, in microseconds.'
  const sections: Section[] = [
    { title, note, rows, plot: { name: unit, svg } },
    { title: `${title}: processor time`, note: timesNote, rows: times },
  ]
  for (const { soak: soaked } of points) if (soaked !== null) sections.push(soakSection(soaked))
  return sections
}

function soakSection({ minutes, rate, failures, p99, own, resident, growth }: SoakStats): Section {
  const row = {
    minutes,
    'asked/s': rate,
    failures,
    'worst p99 ms': p99,
    'own memory at first MiB': Math.round(own[0] ?? 0),
    'own memory at last MiB': Math.round(own.at(-1) ?? 0),
    'growth in second half MiB/h': growth,
    'resident at last MiB': Math.round(resident.at(-1) ?? 0),
  }
  const steps = own.map((_, i) => i + 1)
  const svg = lineChart('Memory in MiB by step of the soak', steps.length > 0 ? steps : [1], [
    { name: 'own memory', values: own },
    { name: 'resident', values: resident },
  ])
  return { title: 'Soak', rows: [row], plot: { name: 'soak', svg } }
}

function judged(value: number, target: number): string {
  return `${value.toPrecision(3)} ${value < target ? 'met' : '**not met**'}`
}

function hexOf(address: Buffer | null): Hex | null {
  return address === null ? null : `0x${address.toString('hex')}`
}

function say(text: string): void {
  console.error(text)
}
