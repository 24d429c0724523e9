import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { STATE_FOLDER } from '../../src/execution/chainFolders.ts'
import { keccak256 } from '../../src/native/crypto.ts'
import { startNode } from '../../test/support/nodeProcess.ts'
import { Generator } from '../load/generator.ts'
import { readNamedBuilds } from '../namedBuilds.ts'
import { describeMachine } from '../report/machine.ts'
import { type Row, saveSections } from '../report/results.ts'
import { accountOf } from '../rpc/encode.ts'
import { ownMiB, processorSeconds } from '../rpc/processStats.ts'
import { type JsonRpcRequest, textOf } from '../rpc/requests.ts'

/** What the tool that writes states prints. */
interface Written {
  readonly root: string
  readonly seconds: number
  /** Making the table of the head. */
  readonly tableSeconds: number
  readonly bytes: number
}

/** Median of some measurements. */
interface Speed {
  readonly requestsPerSecond: number
  /** Processor time of the node for one request, microseconds. */
  readonly microseconds: number
}

interface Build {
  readonly name: string
  /** Its command line; undefined is this build's. */
  readonly program?: string
}

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url))
const WORKSPACE = fileURLToPath(new URL('../../native', import.meta.url))
/** The contract that the tool gives cells to. */
const CONTRACT = `0x${'77'.repeat(20)}`
const LARGE = 1e7
const REQUESTS = 200_000
/** Spreads numbers over a range without repeating one early. */
const STRIDE = 7_919
const THIS_BUILD = 'this build'

/** `bench -- state`: reads of the newest state by its size. */
export async function benchState(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      sizes: { type: 'string', default: '10000,100000,1000000' },
      large: { type: 'boolean', default: false },
      before: { type: 'string', multiple: true, default: [] },
      seconds: { type: 'string', default: '2' },
      runs: { type: 'string', default: '3' },
      connections: { type: 'string', default: '64' },
    },
  })
  const others = readNamedBuilds(values.before).map(([name, folder]): Build => {
    return { name, program: join(folder, 'dist/cli/main.js') }
  })
  const machine = describeMachine()
  const generator = new Generator()
  const options = {
    seconds: Number(values.seconds),
    runs: Number(values.runs),
    connections: Number(values.connections),
  }
  const rows: Row[] = []
  try {
    for (const size of [...values.sizes.split(',').map(Number), ...(values.large ? [LARGE] : [])]) {
      const builds = size === LARGE ? [{ name: THIS_BUILD }] : [...others, { name: THIS_BUILD }]
      rows.push(...(await measureSize(size, builds, options, generator)))
      console.error(`${size} accounts and cells done`)
    }
  } finally {
    generator.close()
  }
  const note =
    'Reads of the newest state in requests/s of a closed loop, no response cached; processor time is that of the node. ' +
    'The state was written straight into the store.'
  saveSections('state', machine, [{ title: 'Reads by size of the state', note, rows }], { options: values })
}

async function measureSize(
  size: number,
  builds: readonly Build[],
  options: { seconds: number; runs: number; connections: number },
  generator: Generator,
): Promise<Row[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rhizome-state-'))
  try {
    const { root, seconds, tableSeconds, bytes } = writeState(dataDir, size)
    runChild(dataDir, root)
    const bodies = createReads(size)
    const files = Object.entries(bodies).map(
      ([name, requests]) => [name, generator.write(requests.map(textOf))] as const,
    )
    const rows: Row[] = []
    for (const { name, program } of builds) {
      const start = performance.now()
      const node = await startNode({
        dataDir,
        args: ['--log-level', 'warn', '--response-cache', '0'],
        ...(program === undefined ? {} : { program }),
      })
      const startSeconds = (performance.now() - start) / 1000
      try {
        const speeds: Record<string, number> = {}
        for (const [read, file] of files) {
          const speed = await measure(node, file, options, generator)
          speeds[`${read}/s`] = Math.round(speed.requestsPerSecond)
          speeds[`${read} µs`] = Number(speed.microseconds.toPrecision(3))
        }
        rows.push({
          'accounts and cells': size,
          build: name,
          'trie written in s': seconds,
          'table in s': tableSeconds,
          'state store MiB': Math.round(bytes / 2 ** 20),
          'start s': Number(startSeconds.toPrecision(3)),
          ...speeds,
          'own memory MiB': Math.round(ownMiB(node.pid)),
        })
      } finally {
        await node.stop()
      }
    }
    return rows
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Makes a chain of genesis alone and puts accounts and cells into its state. */
function writeState(dataDir: string, size: number): Written {
  const genesis = runChild(dataDir)
  const command = ['run', '--quiet', '--release', '-p', 'rhizome-store', '--example', 'write_state', '--']
  const args = [...command, join(dataDir, STATE_FOLDER), genesis, String(size), String(size)]
  return JSON.parse(execFileSync('cargo', args, { cwd: WORKSPACE, encoding: 'utf8' })) as Written
}

function runChild(dataDir: string, ...args: readonly string[]): string {
  const command = [...process.execArgv, CHILD, dataDir, ...args]
  return execFileSync(process.execPath, command, { encoding: 'utf8' }).trim()
}

function createReads(size: number): Readonly<Record<string, readonly JsonRpcRequest[]>> {
  const make = (method: string, params: (number: number) => readonly unknown[]): JsonRpcRequest[] =>
    Array.from({ length: Math.min(REQUESTS, size) }, (_, i) => ({
      method,
      params: params((i * STRIDE) % size),
    }))
  return {
    balances: make('eth_getBalance', (number) => [accountOf(number), 'latest']),
    cells: make('eth_getStorageAt', (number) => [CONTRACT, slotOf(number), 'latest']),
  }
}

/** The slot of the cell of a number. */
function slotOf(number: number): string {
  const preimage = Buffer.from(number.toString(16).padStart(64, '0'), 'hex')
  return `0x${keccak256(preimage).toString('hex')}`
}

async function measure(
  node: { readonly url: string; readonly pid: number },
  requests: string,
  { seconds, runs, connections }: { seconds: number; runs: number; connections: number },
  generator: Generator,
): Promise<Speed> {
  const speeds: Speed[] = []
  for (let run = 0; run < runs; run += 1) {
    const before = processorSeconds(node.pid)
    const stats = await generator.load(node.url, requests, { seconds, connections })
    if (stats.failures > 0) throw new Error(`${stats.failures} requests failed: ${stats.firstFailure}`)
    speeds.push({
      requestsPerSecond: stats.requestsPerSecond,
      microseconds: ((processorSeconds(node.pid) - before) / stats.requests) * 1e6,
    })
  }
  speeds.sort((one, other) => one.requestsPerSecond - other.requestsPerSecond)
  return speeds[Math.floor(speeds.length / 2)] as Speed
}
