import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Hex, toHex } from 'viem'
import { CHAIN_FOLDER, STATE_FOLDER } from '../../src/execution/chainFolders.ts'
import { type NodeProcess, startNode } from '../../test/support/nodeProcess.ts'
import { generateChain } from '../chain/generateChain.ts'
import { createWorkload } from '../chain/workloads.ts'
import { Generator, type LoadStats } from '../load/generator.ts'
import { describeMachine } from '../report/machine.ts'
import { type Row, saveSections, WORK_FOLDER } from '../report/results.ts'
import { accountOf, encodeBalanceOf } from '../rpc/encode.ts'
import { mix, textOf } from '../rpc/requests.ts'
import { askAgain, readAgain } from '../scale/ask.ts'
import { growKept, keptToken } from '../scale/keptStore.ts'
import { folderBytes, type GrownStores, growStores } from './grownStores.ts'
import { measureLiveTrie, run, sizeIn, tablesOf } from './liveState.ts'
import type { PrunedOptions } from './options.ts'

/** A window of the open loop. */
interface Window {
  readonly load: LoadStats
  /** Blocks that came meanwhile, bytes of the log of nodes that were given up, and states whose values were. */
  readonly blocks: number
  readonly droppedBytes: number
  readonly forgotten: number
}

const REQUESTS = 50_000
const STRIDE = 7_919
const PEAK_SECONDS = 5
const BLOCKS_AT_ONCE = 5
const MIB = 2 ** 20
/** Bars: disk at its peak to what is live, answered requests to those asked for, p99 to that at rest. */
const LIVE_TIMES = 3
const MIN_ANSWERED = 0.9
const MAX_TIMES_P99 = 2

/** `bench -- pruned`: disk and reads of a node that gives old states up. */
export async function benchPruned(args: string[]): Promise<void> {
  const options = readOptions(args)
  const machine = describeMachine()
  const generator = new Generator()
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-pruned-'))
  try {
    const source = await chainOf(options)
    const { file } = source
    const blocks = `blocks:${options.kept}`
    const prunes = ['--proofs', blocks, '--history', blocks]
    const disks: Row[] = []
    const archive = source.dataDir === null ? await growStores(file, join(folder, 'archive'), []) : null
    const archived = source.dataDir ?? join(folder, 'archive')
    const trie = await measureLiveTrie(archived, folder)
    const archiveBytes = folderBytes(join(archived, STATE_FOLDER))
    if (archive !== null) disks.push(diskRow('archive', archive, await tablesOf(archived), null))
    else disks.push(await keptRow(archived))
    const tables = await tablesOf(archived)
    const headers = sizeIn(tables, 'ancestors')
    const live = { trie, head: sizeIn(tables, 'head') }
    const ofBlocks = Math.max(0, archiveBytes - headers - live.trie - live.head) / options.blocks
    const kept = { live, bytes: ofBlocks * options.kept }
    for (const name of ['archive', 'snapshot', 'restored']) {
      rmSync(join(folder, name), { recursive: true, force: true })
    }
    for (const [name, flags] of [
      [`--proofs ${blocks}`, ['--proofs', blocks]],
      [`--proofs and --history ${blocks}`, prunes],
    ] as const) {
      const grown = await growStores(file, join(folder, `${disks.length}`), flags)
      const tables = await tablesOf(
        join(folder, `${disks.length}`),
        flags === prunes ? { proofs: blocks, history: blocks } : { proofs: blocks },
      )
      disks.push(diskRow(name, grown, tables, flags === prunes ? kept : null))
      console.error(`${name}: imported in ${Math.round(grown.seconds)} s`)
      if (flags !== prunes) rmSync(join(folder, `${disks.length - 1}`), { recursive: true, force: true })
    }
    const token: Hex = `0x${source.contract?.toString('hex') ?? ''}`
    const dataDir = join(folder, '2')
    const diskNote =
      `MiB; at most: looked at four times a second. Live: the newest state in a store of its own, trie ${toMiB(live.trie)} ` +
      `and table ${toMiB(live.head)}. Kept: ${toMiB(kept.bytes)}, what an archive of these blocks has for as many. Bound: ` +
      `${LIVE_TIMES} times what is live, and what is kept, beside what BLOCKHASH and REMASC need of each block (ancestors), ` +
      'which nothing gives up.'
    const disk = { title: 'Disk', note: diskNote, rows: disks }
    if (options.isDiskAlone) {
      saveSections('pruned', machine, [disk], { options, disks })
      return
    }
    const reads = await measureReads(dataDir, prunes, token, options, generator)
    const note = `Requests in an open loop at half the peak of ${Math.round(reads.peak)}/s; windows of ${options.seconds} s at rest and with a block a second by turns.`
    saveSections('pruned', machine, [disk, { title: 'Reads', note, rows: reads.rows }], {
      options,
      disks,
      reads,
    })
  } finally {
    generator.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function readOptions(args: string[]): PrunedOptions {
  const { values } = parseArgs({
    args,
    options: {
      store: { type: 'string' },
      'disk-only': { type: 'boolean', default: false },
      blocks: { type: 'string', default: '100000' },
      kept: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '60' },
      runs: { type: 'string', default: '3' },
      connections: { type: 'string', default: '64' },
    },
  })
  return {
    blocks: Number(values.blocks),
    kept: Number(values.kept),
    seconds: Number(values.seconds),
    runs: Number(values.runs),
    connections: Number(values.connections),
    store: values.store ?? null,
    isDiskAlone: values['disk-only'],
  }
}

/** The blocks to import: generated, or those of a kept store, which is an archive already. */
async function chainOf({
  blocks,
  store,
}: PrunedOptions): Promise<{ file: string; dataDir: string | null; contract: Buffer | null }> {
  if (store === null) {
    const file = `${WORK_FOLDER}holders-${blocks}x1.rlp`
    await generateChain({ workload: 'holders', blocks, transactionsPerBlock: 1, file })
    return { file, dataDir: null, contract: createWorkload('holders').contract }
  }
  const { dataDir } = growKept(store, blocks)
  const file = `${WORK_FOLDER}kept-${blocks}.rlp`
  if (!existsSync(file)) {
    mkdirSync(WORK_FOLDER, { recursive: true })
    await run(['export', '--data-dir', dataDir, '--output', `${file}.unfinished`])
    renameSync(`${file}.unfinished`, file)
  }
  return { file, dataDir, contract: keptToken() }
}

/** An archive that was there. */
async function keptRow(dataDir: string): Promise<Row> {
  const state = folderBytes(join(dataDir, STATE_FOLDER))
  const chain = folderBytes(join(dataDir, CHAIN_FOLDER))
  return diskRow('archive', { seconds: 0, mostState: state, state, chain }, await tablesOf(dataDir), null)
}

function toMiB(bytes: number): string {
  return (bytes / MIB).toPrecision(3)
}

function diskRow(
  name: string,
  { seconds, mostState, state, chain }: GrownStores,
  tables: ReadonlyMap<string, number>,
  kept: { readonly live: { readonly trie: number; readonly head: number }; readonly bytes: number } | null,
): Row {
  const headers = sizeIn(tables, 'ancestors')
  const bound = kept === null ? null : LIVE_TIMES * (kept.live.trie + kept.live.head) + kept.bytes
  return {
    'what is kept': name,
    'import s': Math.round(seconds),
    'state store at most': mostState / MIB,
    'at the end': state / MIB,
    'of it ancestors': headers / MIB,
    'newest state': sizeIn(tables, 'head') / MIB,
    'earlier values': sizeIn(tables, 'changes', 'steps', 'history') / MIB,
    free: sizeIn(tables, 'free') / MIB,
    'bound without ancestors':
      bound === null
        ? 'none'
        : `${toMiB(bound)} ${judged((mostState - headers) / bound, mostState - headers <= bound)}`,
    'chain store': chain / MIB,
  }
}

async function measureReads(
  dataDir: string,
  prunes: readonly string[],
  token: Hex,
  { kept, seconds, runs, connections }: PrunedOptions,
  generator: Generator,
): Promise<{ peak: number; rows: Row[] }> {
  const node = await startNode({ dataDir, args: [...prunes, '--response-cache', '0', '--log-level', 'warn'] })
  try {
    const requests = () =>
      readsOf(node, token, Math.floor(kept / 2)).then((bodies) => generator.write(bodies.map(textOf)))
    const peak = await generator.load(node.url, await requests(), { seconds: PEAK_SECONDS, connections })
    const rate = Math.round(peak.requestsPerSecond / 2)
    const rows: Row[] = []
    for (let run = 1; run <= runs; run += 1) {
      const load = async () => generator.load(node.url, await requests(), { seconds, connections, rate })
      const atRest = await watched(node, load)
      rows.push(windowRow('at rest', rate, atRest, null))
      await makeUntilEpochIsDue(node, Math.floor(seconds / 2), kept)
      const blocks = new BlockEachSecond(node)
      rows.push(windowRow('a block a second', rate, await watched(node, load), atRest.load.p99))
      await blocks.stop()
      console.error(
        `run ${run} of ${runs}; state store ${Math.round(folderBytes(join(dataDir, 'state')) / MIB)} MiB`,
      )
    }
    return { peak: peak.requestsPerSecond, rows }
  } finally {
    await node.stop()
  }
}

/** Newest and earlier balances and token balances of what is kept for as long as the window takes. */
async function readsOf({ url }: NodeProcess, token: Hex, blocks: number) {
  const height = Number(await askAgain<Hex>(url, 'eth_blockNumber', []))
  const make = (method: string, params: (i: number) => readonly unknown[]) =>
    Array.from({ length: REQUESTS }, (_, i) => ({ method, params: params(i) }))
  const account = (i: number) => accountOf((i * STRIDE) % height)
  const block = (i: number) => toHex(height - ((i * STRIDE) % blocks))
  const call = (i: number) => ({ to: token, data: encodeBalanceOf(account(i)) })
  return mix(
    [
      { weight: 4, bodies: make('eth_getBalance', (i) => [account(i), 'latest']) },
      { weight: 2, bodies: make('eth_getBalance', (i) => [account(i), block(i)]) },
      { weight: 2, bodies: make('eth_call', (i) => [call(i), 'latest']) },
      { weight: 1, bodies: make('eth_call', (i) => [call(i), block(i)]) },
      { weight: 1, bodies: make('eth_getBlockByNumber', (i) => [block(i), true]) },
    ],
    REQUESTS,
  )
}

async function watched(node: NodeProcess, load: () => Promise<LoadStats>): Promise<Window> {
  const before = await metricsOf(node)
  const stats = await load()
  const after = await metricsOf(node)
  return {
    load: stats,
    blocks: after.height - before.height,
    droppedBytes: after.dropped - before.dropped,
    // The line is up to sixteen blocks behind.
    forgotten: Math.max(0, before.steps + (after.height - before.height) - after.steps),
  }
}

async function metricsOf({ url }: NodeProcess): Promise<{ height: number; dropped: number; steps: number }> {
  const text = await readAgain(new URL('/metrics', url))
  const value = (name: string) =>
    Number(new RegExp(`^rhizome_${name}(?:{[^}]*})? (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
  return {
    height: Number(await askAgain<Hex>(url, 'eth_blockNumber', [])),
    dropped: value('state_pruned_bytes_total'),
    steps: value('state_history_steps_count'),
  }
}

/** A payment, for which the node makes a block. */
async function pay({ url }: NodeProcess, number: number): Promise<void> {
  const [from] = await askAgain<Hex[]>(url, 'eth_accounts', [])
  await askAgain(url, 'eth_sendTransaction', [{ from, to: accountOf(number), value: '0x1', gas: '0x5208' }])
}

/** Makes blocks until the next epoch is due to be given up in so many blocks, as far as the last two say. */
async function makeUntilEpochIsDue(node: NodeProcess, within: number, kept: number): Promise<void> {
  await makeUntilEpochEnds(node, kept)
  const first = (await metricsOf(node)).height
  await makeUntilEpochEnds(node, kept)
  const { height } = await metricsOf(node)
  await makeBlocks(node, Math.max(0, height - first - within))
}

async function makeUntilEpochEnds(node: NodeProcess, kept: number): Promise<void> {
  const { dropped } = await metricsOf(node)
  for (let made = 0; (await metricsOf(node)).dropped === dropped; made += BLOCKS_AT_ONCE) {
    if (made > 2 * kept) throw new Error(`no epoch was given up within ${made} blocks`)
    await makeBlocks(node, BLOCKS_AT_ONCE)
  }
}

async function makeBlocks(node: NodeProcess, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) await pay(node, made)
}

/** Makes a block each second. */
class BlockEachSecond {
  #isStopped = false
  readonly #done: Promise<void>

  constructor(node: NodeProcess) {
    this.#done = this.#run(node)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#done
  }

  async #run(node: NodeProcess): Promise<void> {
    for (let number = 0; !this.#isStopped; number += 1) {
      await Promise.all([sleep(1000), pay(node, number)])
    }
  }
}

/** @param p99 that of the window at rest, milliseconds; null for that itself */
function windowRow(
  name: string,
  rate: number,
  { load, blocks, droppedBytes, forgotten }: Window,
  p99: number | null,
): Row {
  const answered = load.requestsPerSecond / rate
  const slower = p99 === null ? null : load.p99 / p99
  return {
    window: name,
    'asked/s': rate,
    'answered/s': Math.round(load.requestsPerSecond),
    [`of asked (≥ ${MIN_ANSWERED})`]: judged(answered, answered >= MIN_ANSWERED),
    failures: load.failures,
    'p50 ms': load.p50,
    'p99 ms': load.p99,
    [`to p99 at rest (≤ ${MAX_TIMES_P99})`]:
      slower === null ? 'none' : judged(slower, slower <= MAX_TIMES_P99),
    blocks,
    'log given up MiB': droppedBytes / MIB,
    'states given up': forgotten,
  }
}

function judged(ratio: number, isMet: boolean): string {
  return `${ratio.toPrecision(3)} ${isMet ? 'met' : '**not met**'}`
}
