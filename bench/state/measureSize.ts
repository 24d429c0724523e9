import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toHex } from 'viem'
import { STATE_FOLDER } from '../../src/execution/chainFolders.ts'
import { startNode } from '../../test/support/nodeProcess.ts'
import type { Generator } from '../load/generator.ts'
import { accountOf } from '../rpc/encode.ts'
import { ownMiB, processorSeconds } from '../rpc/processStats.ts'
import { type JsonRpcRequest, textOf } from '../rpc/requests.ts'
import { copyStore } from '../scale/keptStore.ts'
import type { StateOptions } from './options.ts'
import type { Measured, ReadName, Speed, Written } from './speeds.ts'
import { startStatePeers } from './statePeers.ts'
import { CONTRACT, STRIDE, slotOf } from './stateWorkload.ts'

/** Other nodes beside this build. */
export interface Beside {
  readonly builds: readonly (readonly [name: string, folder: string])[]
  /** Without nodes of others. */
  readonly isAlone: boolean
}

interface Contender {
  readonly name: string
  readonly url: string
  readonly pid: number | null
  readonly startSeconds: number | null
  readonly hasEarlier: boolean
  stop(): Promise<unknown>
}

export const THIS_BUILD = 'this build'
const CHILD = fileURLToPath(new URL('child.ts', import.meta.url))
const WORKSPACE = fileURLToPath(new URL('../../native', import.meta.url))
const REQUESTS = 200_000
const WRITER = ['-p', 'rhizome-store', '--example', 'write_state']

/** Reads of every node that takes part, on a state of a size. */
export async function measureSize(
  size: number,
  beside: Beside,
  options: StateOptions,
  generator: Generator,
): Promise<Measured[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-state-'))
  const nodes: Contender[] = []
  try {
    const dataDir = join(folder, '0')
    const written = writeState(dataDir, size)
    runChild(dataDir, 'edit', written.root)
    if (options.blocks > 0) runChild(dataDir, 'blocks', String(size), String(options.blocks))
    const copies = beside.builds.map(([name, build], index) => {
      const copy = join(folder, String(index + 1))
      copyStore(dataDir, copy)
      return { name, dataDir: copy, program: join(build, 'dist/cli/main.js') }
    })
    for (const build of [...copies, { name: THIS_BUILD, dataDir }]) nodes.push(await startBuild(build))
    if (!beside.isAlone) {
      const { peers, stop } = await startStatePeers(size)
      for (const { name, url, pid } of peers) {
        nodes.push({ name, url, pid, startSeconds: null, hasEarlier: false, stop: async () => undefined })
      }
      nodes.push({ name: '', url: '', pid: null, startSeconds: null, hasEarlier: false, stop })
    }
    const files = Object.entries(createReads(size, options.blocks)).map(
      ([name, requests]) => [name as ReadName, generator.write(requests.map(textOf))] as const,
    )
    const readers = nodes.filter(({ name }) => name !== '')
    const speeds = new Map(readers.map(({ name }) => [name, noSpeeds()]))
    for (const [read, file] of files) {
      const able = readers.filter(({ hasEarlier }) => hasEarlier || !read.startsWith('earlier'))
      const medians = await measureByTurns(able, file, options, generator)
      for (const [name, speed] of medians) (speeds.get(name) ?? noSpeeds())[read] = speed
    }
    return readers.map(({ name, pid, startSeconds }) => ({
      size,
      name,
      written: name === THIS_BUILD ? written : null,
      startSeconds,
      ownMiB: pid === null ? 0 : ownMiB(pid),
      speeds: speeds.get(name) ?? noSpeeds(),
    }))
  } finally {
    for (const node of nodes) await node.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function noSpeeds(): Record<ReadName, Speed | null> {
  return { balances: null, cells: null, 'earlier balances': null, 'earlier cells': null }
}

/** Makes a chain of genesis alone and puts accounts and cells into its state. */
export function writeState(dataDir: string, size: number): Written {
  const genesis = runChild(dataDir)
  const command = ['run', '--quiet', '--release', ...WRITER, '--']
  const args = [...command, join(dataDir, STATE_FOLDER), genesis, String(size), String(size)]
  return JSON.parse(execFileSync('cargo', args, { cwd: WORKSPACE, encoding: 'utf8' })) as Written
}

/** Runs a task of `child.ts`; returns the root of the head. */
export function runChild(dataDir: string, ...args: readonly string[]): string {
  const command = [...process.execArgv, CHILD, dataDir, ...args]
  return execFileSync(process.execPath, command, { encoding: 'utf8' }).trim()
}

async function startBuild({
  name,
  dataDir,
  program,
}: {
  readonly name: string
  readonly dataDir: string
  /** Its command line; undefined is this build's. */
  readonly program?: string
}): Promise<Contender> {
  const start = performance.now()
  const node = await startNode({
    dataDir,
    args: ['--log-level', 'warn', '--response-cache', '0'],
    ...(program === undefined ? {} : { program }),
  })
  const startSeconds = (performance.now() - start) / 1000
  return { name, url: node.url, pid: node.pid, startSeconds, hasEarlier: true, stop: () => node.stop() }
}

export function createReads(size: number, blocks: number): Partial<Record<ReadName, JsonRpcRequest[]>> {
  const make = (
    method: string,
    params: (number: number, i: number) => readonly unknown[],
  ): JsonRpcRequest[] =>
    Array.from({ length: Math.min(REQUESTS, size) }, (_, i) => ({
      method,
      params: params((i * STRIDE) % size, i),
    }))
  const contract = `0x${CONTRACT.toString('hex')}`
  const slot = (number: number) => `0x${slotOf(number).toString('hex')}`
  // The block that makes the contract comes first.
  const block = (i: number) => toHex(1 + ((i * STRIDE) % blocks))
  const newest = {
    balances: make('eth_getBalance', (number) => [accountOf(number), 'latest']),
    cells: make('eth_getStorageAt', (number) => [contract, slot(number), 'latest']),
  }
  if (blocks === 0) return newest
  return {
    ...newest,
    'earlier balances': make('eth_getBalance', (number, i) => [accountOf(number), block(i)]),
    'earlier cells': make('eth_getStorageAt', (number, i) => [contract, slot(number), block(i)]),
  }
}

async function measureByTurns(
  nodes: readonly Contender[],
  requests: string,
  { seconds, runs, connections }: StateOptions,
  generator: Generator,
): Promise<Map<string, Speed>> {
  const speeds = new Map<string, Speed[]>(nodes.map(({ name }) => [name, []]))
  for (let run = 0; run < runs; run += 1) {
    for (const { name, url, pid } of nodes) {
      const before = pid === null ? 0 : processorSeconds(pid)
      const stats = await generator.load(url, requests, { seconds, connections })
      if (stats.failures > 0) throw new Error(`${name}: ${stats.failures} failed: ${stats.firstFailure}`)
      const used = pid === null ? 0 : processorSeconds(pid) - before
      const { requestsPerSecond } = stats
      speeds.get(name)?.push({ requestsPerSecond, microseconds: (used / stats.requests) * 1e6 })
    }
  }
  return new Map(nodes.map(({ name }) => [name, medianOf(speeds.get(name) ?? [])]))
}

function medianOf(speeds: readonly Speed[]): Speed {
  const sorted = [...speeds].sort((one, other) => one.requestsPerSecond - other.requestsPerSecond)
  return sorted[Math.floor(sorted.length / 2)] as Speed
}
