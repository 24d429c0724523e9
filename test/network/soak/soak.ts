import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownMiB, processorSeconds } from '../../../bench/rpc/processStats.ts'
import { SyncSource } from '../../faults/syncSource.ts'
import { freePort, type NodeProcess, startNode } from '../../support/nodeProcess.ts'
import { createRandom } from '../../support/random.ts'
import { type Sample, type SoakVerdict, soakVerdict } from './verdict.ts'
import { Visitors } from './visitors.ts'

export interface SoakOptions {
  readonly minutes: number
  readonly seed: number
  /** Full nodes at a time that come, synchronise and go. */
  readonly comers: number
  /** Blocks that there are before the soak begins. */
  readonly blocks: number
  /** Called every ten seconds. */
  readonly onSample: (sample: Sample) => void
}

const SAMPLE_MS = 10_000
/** Shortest and longest stay of a node that comes and goes, milliseconds. */
const STAY_MS = [10_000, 40_000] as const
const QUIET = ['--no-mining', '--no-page', '--workers', '1', '--log-level', 'error']

/**
 * Runs a node whose peers come and go: it follows a chain that grows and is reorganised, gives it to new nodes from
 * genesis on, and is visited by connections that ask, send transactions and leave at any point of the handshake.
 * @returns the samples of its memory and descriptors, and whether they grow
 * @throws Error when it is not at the head of the chain in the end
 */
export async function soak(options: SoakOptions): Promise<SoakVerdict> {
  const random = createRandom(options.seed)
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-soak-'))
  const source = await SyncSource.start(join(folder, 'source'), createRandom(options.seed + 1))
  await source.mine(options.blocks)
  const port = await freePort()
  const node = await startNode({
    dataDir: join(folder, 'node'),
    args: ['--peer', source.enode, '--p2p-host', '127.0.0.1', '--p2p-port', String(port), ...QUIET],
  })
  const stop = new AbortController()
  try {
    const { enode } = await node.request<{ enode: string }>('admin_nodeInfo')
    const visitors = new Visitors({ enode, port, random, genesis: await genesisOf(node) })
    source.grow()
    const traffic = [visitors.run(stop.signal)]
    for (let comer = 0; comer < options.comers; comer += 1)
      traffic.push(comeAndGo(join(folder, `comer-${comer}`), enode, random, stop.signal))
    const samples = await watch(node, options, visitors)
    stop.abort()
    await Promise.all(traffic)
    await source.rest()
    await untilAtHead(node, source)
    return soakVerdict(samples)
  } finally {
    stop.abort()
    await node.stop('SIGKILL')
    await source.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function watch(node: NodeProcess, options: SoakOptions, visitors: Visitors): Promise<Sample[]> {
  const samples: Sample[] = []
  const began = performance.now()
  const end = began + options.minutes * 60_000
  while (performance.now() < end) {
    await sleep(SAMPLE_MS)
    const sample = {
      seconds: Math.round((performance.now() - began) / 1000),
      ownMiB: Math.round(ownMiB(node.pid)),
      descriptors: readdirSync(`/proc/${node.pid}/fd`).length,
      threads: readdirSync(`/proc/${node.pid}/task`).length,
      processorSeconds: Math.round(processorSeconds(node.pid)),
      peers: Number(await node.request<string>('net_peerCount')),
      height: Number(await node.request<string>('eth_blockNumber')),
      visits: visitors.count,
    }
    samples.push(sample)
    options.onSample(sample)
  }
  return samples
}

/** A node that starts with nothing, takes the chain from the one under test, and goes: in order, or killed. */
async function comeAndGo(
  dataDir: string,
  enode: string,
  random: () => number,
  signal: AbortSignal,
): Promise<void> {
  const [shortest, longest] = STAY_MS
  while (!signal.aborted) {
    const place = ['--p2p-host', '127.0.0.1', '--p2p-port', '0']
    const node = await startNode({ dataDir, args: ['--peer', enode, ...place, ...QUIET] })
    const stay = shortest + random() * (longest - shortest)
    await sleep(stay, undefined, { signal }).catch(() => undefined)
    await node.stop(random() < 0.5 ? 'SIGTERM' : 'SIGKILL')
    if (random() < 0.5) rmSync(dataDir, { recursive: true, force: true })
  }
}

async function genesisOf(node: NodeProcess): Promise<Buffer> {
  const { hash } = await node.request<{ hash: string }>('eth_getBlockByNumber', ['0x0', false])
  return Buffer.from(hash.slice(2), 'hex')
}

async function untilAtHead(node: NodeProcess, source: SyncSource): Promise<void> {
  const { hash } = await source.head()
  for (let look = 0; look < 300; look += 1) {
    const head = await node.request<{ hash: string }>('eth_getBlockByNumber', ['latest', false])
    if (head.hash === hash) return
    await sleep(200)
  }
  throw new Error('the node is not at the head of the chain after the soak')
}
