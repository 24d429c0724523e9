import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { STATE_FOLDER } from '../../src/execution/chainFolders.ts'
import { startNode } from '../../test/support/nodeProcess.ts'
import type { Generator } from '../load/generator.ts'
import type { Row } from '../report/results.ts'
import { ownMiB } from '../rpc/processStats.ts'
import { textOf } from '../rpc/requests.ts'
import { createReads, runChild, writeState } from './measureSize.ts'

const GROUPS = '/sys/fs/cgroup'
const LIGHT = textOf({ method: 'eth_chainId', params: [] })
const LIGHT_RATE = 500
const LIGHT_CONNECTIONS = 8
/** Field of `/proc/<pid>/stat` after the name of the process. */
const MAJOR_FAULTS = 9
/** Command that enters a control group and then becomes another one. */
const ENTER = 'echo $$ > "$0" && exec "$@"'

interface LimitOptions {
  readonly size: number
  readonly limitMiB: number
  /** Made before. */
  readonly blocks: number
  readonly seconds: number
  readonly runs: number
  readonly connections: number
}

/**
 * Reads of a state that is not in memory, by nodes with and without a limit of memory, by turns: balances in a closed
 * loop, and beside it `eth_chainId` in an open one, which waits whenever the front thread does. The state's pages leave
 * the system's memory before each turn.
 */
export async function measureUnderLimit(options: LimitOptions, generator: Generator): Promise<Row[]> {
  const { size, limitMiB, blocks, seconds, runs, connections } = options
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-state-limit-'))
  try {
    const dataDir = join(folder, '0')
    const written = writeState(dataDir, size)
    runChild(dataDir, 'edit', written.root)
    // The state that was edited is read in the trie alone.
    runChild(dataDir, 'blocks', String(size), String(blocks))
    const balances = generator.write((createReads(size, 0).balances ?? []).map(textOf))
    const light = generator.write([LIGHT])
    const rows: Row[] = []
    for (let run = 0; run < runs; run += 1) {
      for (const limit of [null, limitMiB]) {
        dropPages(join(dataDir, STATE_FOLDER, 'data.mdb'))
        const group = limit === null ? null : new MemoryGroup(limit)
        try {
          const under = group === null ? [] : ['sh', '-c', ENTER, group.entrance]
          const args = ['--log-level', 'warn', '--response-cache', '0']
          const node = await startNode({ dataDir, args, under })
          try {
            const lightLoop = { seconds, connections: LIGHT_CONNECTIONS, rate: LIGHT_RATE }
            const alone = await generator.load(node.url, light, lightLoop)
            const faults = majorFaults(node.pid)
            const [beside, reads] = await Promise.all([
              generator.load(node.url, light, lightLoop),
              generator.load(node.url, balances, { seconds, connections }),
            ])
            const metrics = await (await fetch(new URL('/metrics', node.url))).text()
            rows.push({
              'limit MiB': limit ?? 'none',
              'state store MiB': Math.round(written.bytes / 2 ** 20),
              'own memory MiB': Math.round(ownMiB(node.pid)),
              'balances/s': Math.round(reads.requestsPerSecond),
              'balances p99 ms': round(reads.p99),
              'eth_chainId p99 ms alone': round(alone.p99),
              'eth_chainId p50 ms beside': round(beside.p50),
              'eth_chainId p99 ms beside': round(beside.p99),
              'eth_chainId most ms beside': round(beside.most),
              failures: reads.failures + beside.failures,
              'major faults': majorFaults(node.pid) - faults,
              'front waited': counterOf(metrics, 'state_front_waits_total'),
              'left to workers': counterOf(metrics, 'state_front_reads_left_total'),
            })
          } finally {
            await node.stop()
          }
        } finally {
          group?.remove()
        }
      }
    }
    return rows
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A control group of its own with a bound for the memory of its processes, what they map among it. */
class MemoryGroup {
  readonly #folder: string

  /** @throws Error where the system has none that this user can make */
  constructor(limitMiB: number) {
    const isFirst = existsSync(join(GROUPS, 'memory'))
    this.#folder = join(GROUPS, isFirst ? 'memory' : '', `rhizome-bench-${process.pid}`)
    mkdirSync(this.#folder, { recursive: true })
    const limit = isFirst ? 'memory.limit_in_bytes' : 'memory.max'
    writeFileSync(join(this.#folder, limit), String(limitMiB * 2 ** 20))
  }

  get entrance(): string {
    return join(this.#folder, 'cgroup.procs')
  }

  remove(): void {
    rmdirSync(this.#folder)
  }
}

/** Makes the system forget the pages of a file, so that the next reader finds them on the disk. */
function dropPages(file: string): void {
  execFileSync('sync', [file])
  execFileSync('dd', [`of=${file}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0', 'status=none'])
}

function majorFaults(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[MAJOR_FAULTS])
}

function counterOf(metrics: string, name: string): number {
  return Number(new RegExp(`^\\S*${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics)?.[1])
}

function round(milliseconds: number): number {
  return Number(milliseconds.toPrecision(3))
}
