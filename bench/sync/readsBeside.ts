import { execFileSync } from 'node:child_process'
import { Generator, type LoadStats } from '../load/generator.ts'
import type { Row, Section } from '../report/results.ts'
import type { SyncBenchOptions } from './benchSync.ts'
import { CHAINS, chainFile } from './chains.ts'
import { type SyncStats, startServer, synchronise } from './nodes.ts'

const READS_PER_SECOND = 1000
const CONNECTIONS = 16
const MAX_P99_MS = 10
/** Part of the time of a synchronisation without reads that reads go on for. */
const SHARE = 0.9
/** Processor that server and generator share, so that the client has the others to itself. */
const APART = '0'

/** Reads in an open loop while a new node synchronises, by turns with the same reads while it does nothing else. */
export async function measureReads(
  { blocks, runs }: SyncBenchOptions,
  detail: Record<string, unknown>,
): Promise<Section> {
  const [workload, perBlock] = CHAINS[0] ?? ['empty', 0]
  const server = await startServer(await chainFile(workload, perBlock, blocks))
  const { enode, height, pid } = server
  const generator = new Generator()
  const unpin = [pid, process.pid].map((process) => pin(process))
  const rows: Row[] = []
  try {
    const requests = generator.write(readBodies())
    const task = { enodes: [enode], height, serverPid: pid }
    const alone = await synchronise(task)
    const seconds = Math.max(1, Math.floor(alone.seconds * SHARE))
    const read = async (url: string) =>
      generator.load(url, requests, { seconds, connections: CONNECTIONS, rate: READS_PER_SECOND })
    const found: { idle: LoadStats; load: LoadStats; beside: SyncStats }[] = []
    for (let run = 0; run < runs; run += 1) {
      const { during: load, after: idle, ...beside } = await synchronise(task, read)
      if (load === null || idle === null) throw new Error('nothing was read')
      found.push({ idle, load, beside })
      rows.push(row('full synchronisation', load, height / beside.seconds), row('nothing else', idle, null))
    }
    detail['reads'] = { alone, found }
    const note =
      'Open loop: a latency counts from when its request was due. By turns on the same node: during the synchronisation, then ' +
      `after it. The server and the generator have processor ${APART}, which the client may use, too. Without reads it synchronised ${Math.round(height / alone.seconds)} blocks/s.`
    return { title: 'Reads during a full synchronisation', note, rows }
  } finally {
    for (const end of unpin) end()
    generator.close()
    await server.close()
  }
}

function row(beside: string, load: LoadStats, speed: number | null): Row {
  return {
    beside,
    'asked/s': READS_PER_SECOND,
    'answered/s': Math.round(load.requestsPerSecond),
    'p50 ms': load.p50,
    'p99 ms': load.p99,
    'p99.9 ms': load.p999,
    'most ms': load.most,
    failures: load.failures,
    'sync blocks/s': speed ?? '',
    [`p99 < ${MAX_P99_MS} ms`]: load.p99 < MAX_P99_MS ? 'met' : '**not met**',
  }
}

function readBodies(): string[] {
  const state = ['latest', '0x0'].flatMap((block) => [
    body('eth_getBalance', [`0x${'cd2a3d9f938e13cd947ec05abc7fe734df8dd826'}`, block]),
    body('eth_getBlockByNumber', [block, false]),
  ])
  return [...state, body('eth_blockNumber', [])]
}

function body(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

/** Keeps all threads of a process on one processor, and what this one starts. @returns what ends that */
function pin(pid: number): () => void {
  const set = (list: string) => {
    try {
      execFileSync('taskset', ['-acp', list, String(pid)], { stdio: 'ignore' })
    } catch {
      // A process that is gone, or a system without it.
    }
  }
  const before = execFileSync('taskset', ['-cp', String(pid)], { encoding: 'utf8' })
    .split(': ')
    .at(-1)
    ?.trim()
  set(APART)
  return () => set(before ?? APART)
}
