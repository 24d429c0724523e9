import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { generateChain } from '../chain/generateChain.ts'
import type { WorkloadName } from '../chain/workloads.ts'
import type { ImportFigures } from '../import/measureImport.ts'
import { Generator, type LoadFigures } from '../load/generator.ts'
import { describeMachine } from '../report/machine.ts'
import { type Row, type Section, saveSections, WORK_FOLDER } from '../report/results.ts'
import { startLimitedServers } from './limitedServers.ts'
import { type SyncFigures, startServer, synchronise } from './nodes.ts'

/** Of `import`, what a synchronisation between nodes of this kind has to reach. */
const TARGET_SHARE = 0.8
/** Blocks a second that the reference gives over one connection: 1,000 messages a minute (p2p.md §4 Limits). */
const BLOCKS_PER_SERVER = 1000 / 60
const TARGET_OF_LIMIT = 0.95
const READS_PER_SECOND = 1000
const READ_CONNECTIONS = 16
const READ_P99_MS = 10
const COMMIT_EVERY = '64'
/** Chains, as workload and transactions of a block. */
const CHAINS: readonly (readonly [WorkloadName, number])[] = [
  ['token', 2],
  ['token', 20],
]
/** Part of the time of a synchronisation without reads that reads go on for. */
const READ_SHARE = 0.9
const IMPORT_CHILD = fileURLToPath(new URL('../import/child.ts', import.meta.url))

interface Options {
  readonly blocks: number
  readonly runs: number
  readonly servers: readonly number[]
  readonly seconds: number
  /** Part of the names of the chains to be taken. */
  readonly chain: string
}

/** `bench -- sync`: see {@link SYNC_HELP}. */
export async function benchSync(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      blocks: { type: 'string', default: '4000' },
      runs: { type: 'string', default: '3' },
      only: { type: 'string', multiple: true },
      servers: { type: 'string', multiple: true, default: ['1', '4', '24'] },
      seconds: { type: 'string', default: '120' },
      chain: { type: 'string', default: '' },
    },
  })
  const options = {
    blocks: Number(values.blocks),
    runs: Number(values.runs),
    servers: values.servers.map(Number),
    seconds: Number(values.seconds),
    chain: values.chain,
  }
  const machine = describeMachine()
  const chosen = (name: string) => values.only?.includes(name) ?? true
  const sections: Section[] = []
  const detail: Record<string, unknown> = {}
  if (chosen('between')) sections.push(await measureBetween(options, detail))
  if (chosen('reads')) sections.push(await measureReads(options, detail))
  if (chosen('servers')) sections.push(await measureServers(options, detail))
  saveSections('sync', machine, sections, { options, ...detail })
}

async function chainFile(workload: WorkloadName, perBlock: number, blocks: number): Promise<string> {
  const file = `${WORK_FOLDER}${workload}-${blocks}x${perBlock}.rlp`
  process.stderr.write(`${workload}: generating ${blocks} blocks of ${perBlock} transactions\n`)
  await generateChain({ workload, blocks, transactionsPerBlock: perBlock, file })
  return file
}

async function measureBetween(
  { blocks, runs, chain }: Options,
  detail: Record<string, unknown>,
): Promise<Section> {
  const rows: Row[] = []
  for (const [workload, perBlock] of CHAINS) {
    const name = `${workload}, ${perBlock} a block`
    if (!name.includes(chain)) continue
    const file = await chainFile(workload, perBlock, blocks)
    const server = await startServer(file)
    const { enode, height, pid } = server
    const imports: ImportFigures[] = []
    const syncs: SyncFigures[] = []
    try {
      for (let run = 0; run < runs; run++) {
        imports.push(importOnce(file))
        syncs.push(await synchronise({ enodes: [enode], height, serverPid: pid }))
      }
    } finally {
      await server.close()
    }
    detail[`between, ${name}`] = { imports, syncs }
    const imported = medianOf(imports)
    const synced = medianOf(syncs)
    const share = imported.seconds / synced.seconds
    rows.push({
      chain: name,
      blocks: height,
      'import blocks/s': height / imported.seconds,
      'sync blocks/s': height / synced.seconds,
      'sync/import': share.toFixed(2),
      'import CPU ms/block': (imported.processorSeconds * 1000) / height,
      'client CPU ms/block': (synced.clientSeconds * 1000) / height,
      'server CPU ms/block': (synced.serverSeconds * 1000) / height,
      [`≥ ${TARGET_SHARE}`]: share >= TARGET_SHARE ? 'met' : '**not met**',
    })
  }
  const note =
    'By turns, median of the runs by time. Client and server share the machine, the import has it to itself. ' +
    'The time of a synchronisation begins when the client is told of its peer.'
  return { title: 'Between two nodes', note, rows }
}

async function measureReads({ blocks }: Options, detail: Record<string, unknown>): Promise<Section> {
  const [workload, perBlock] = CHAINS[0] ?? ['empty', 0]
  const server = await startServer(await chainFile(workload, perBlock, blocks))
  const { enode, height, pid } = server
  const generator = new Generator()
  try {
    const task = { enodes: [enode], height, serverPid: pid }
    const alone = await synchronise(task)
    const bodies = ['latest', '0x0'].flatMap((block) => [
      readBody('eth_getBalance', [`0x${'cd2a3d9f938e13cd947ec05abc7fe734df8dd826'}`, block]),
      readBody('eth_getBlockByNumber', [block, false]),
    ])
    const requests = generator.write([...bodies, readBody('eth_blockNumber', [])])
    const loads: LoadFigures[] = []
    const seconds = Math.max(1, Math.floor(alone.seconds * READ_SHARE))
    const during = async (url: string) => {
      const load = { seconds, connections: READ_CONNECTIONS, rate: READS_PER_SECOND }
      loads.push(await generator.load(url, requests, load))
    }
    const beside = await synchronise({ ...task, during })
    const [load] = loads
    if (load === undefined) throw new Error('nothing was read')
    detail['reads'] = { alone, beside, load }
    const row = {
      'asked/s': READS_PER_SECOND,
      'answered/s': Math.round(load.requestsPerSecond),
      'p50 ms': load.p50,
      'p99 ms': load.p99,
      'most ms': load.most,
      failures: load.failures,
      'seconds of reads': seconds,
      'sync blocks/s': height / beside.seconds,
      'without reads': height / alone.seconds,
      [`p99 < ${READ_P99_MS} ms`]: load.p99 < READ_P99_MS ? 'met' : '**not met**',
    }
    const note =
      'Open loop: a latency counts from when its request was due. The server and the generator share the machine.'
    return { title: 'Reads during a full synchronisation', note, rows: [row] }
  } finally {
    generator.close()
    await server.close()
  }
}

async function measureServers(
  { blocks, servers, seconds }: Options,
  detail: Record<string, unknown>,
): Promise<Section> {
  const rows: Row[] = []
  const file = await chainFile('token', 2, blocks)
  for (const count of servers) {
    const limited = await startLimitedServers(file, count)
    try {
      const { enodes, height, pid } = limited
      const figures = await synchronise({ enodes, height, serverPid: pid, most: seconds })
      detail[`servers, ${count}`] = figures
      const expected = count * BLOCKS_PER_SERVER
      const speed = figures.blocks / figures.seconds
      rows.push({
        servers: count,
        blocks: figures.blocks,
        seconds: figures.seconds,
        'blocks/s': speed,
        'N × 16.7': expected,
        share: (speed / expected).toFixed(2),
        [`≥ ${TARGET_OF_LIMIT}`]: speed / expected >= TARGET_OF_LIMIT ? 'met' : '**not met**',
      })
    } finally {
      await limited.close()
    }
  }
  const note =
    'Servers that announce neither block ranges nor snapshots and drop what exceeds 1,000 messages of a connection in a minute, ' +
    'all in one process. Headers take part of the messages, and the time includes dialling.'
  return { title: "Servers with the reference's limit", note, rows }
}

function readBody(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

function importOnce(file: string): ImportFigures {
  const dataDir = mkdtempSync(join(tmpdir(), 'rhizome-bench-'))
  try {
    const args = [...process.execArgv, IMPORT_CHILD, file, dataDir, COMMIT_EVERY]
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as ImportFigures
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function medianOf<T extends { readonly seconds: number }>(runs: readonly T[]): T {
  const median = [...runs].sort((a, b) => a.seconds - b.seconds)[Math.floor(runs.length / 2)]
  if (median === undefined) throw new Error('no run')
  return median
}
