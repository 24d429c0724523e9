import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { FaultyProxy } from '../../test/fork/faultyProxy.ts'
import { asking, makeUpstreamChain } from '../../test/fork/upstreamChain.ts'
import { askNode } from '../../test/support/nodeProcess.ts'
import { describeMachine } from '../report/machine.ts'
import { type Row, saveResults } from '../report/results.ts'
import { type Peer, startAnvil, startRhizome } from '../rpc/peers.ts'
import { ownMiB, processorSeconds, residentMiB } from '../rpc/processStats.ts'

export const FORK_HELP = `bench -- fork: what a fork of a Rhizome costs, beside anvil's of the same: requests that a proxy counts, processor time,
memory; writes bench/results/fork.{md,json}

  --runs N   turns of all, one after the other (default 3)`

const CALLS = 1000
/** The cells that the large call reads. */
const CELLS = 40
const SENDER = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'
/** Cells 1 to 40 hold their numbers; it returns the sum of as many as it is called with. */
const SUM =
  '0x60285b80805560019003806002577f60003560005b81156017578154019060019003906005565b60005260206000f360005260206000f3'
const word = (value: number | string) => BigInt(value).toString(16).padStart(64, '0')

/** What one fork took: requests to the upstream, processor seconds of the whole process, MiB. */
interface Turn {
  readonly startRequests: number
  readonly start: number
  readonly firstRequests: number
  readonly first: number
  readonly cellsRequests: number
  readonly callsRequests: number
  readonly calls: number
  readonly sendRequests: number
  readonly resident: number
  readonly own: number
}

interface Scene {
  readonly proxy: FaultyProxy
  readonly block: number
  readonly token: string
  readonly sum: string
}

type Start = (scene: Scene, folder: string) => Promise<Peer | null>

const forkArgs = ({ proxy, block }: Scene) => ['--fork-url', proxy.url, '--fork-block', String(block)]

const CONTENDERS: Readonly<Record<string, Start>> = {
  'Rhizome, which proves': (scene, folder) =>
    startRhizome([...forkArgs(scene), '--fork-cache', join(folder, 'answers')], 'rhizome'),
  'Rhizome, as from RSKj': (scene, folder) => {
    scene.proxy.change = ({ method }, result) => (method === 'web3_clientVersion' ? 'RskJ/9.0.1' : result)
    return startRhizome([...forkArgs(scene), '--fork-cache', join(folder, 'answers')], 'rhizome')
  },
  anvil: ({ proxy, block }) =>
    startAnvil(['--fork-url', proxy.url, '--fork-block-number', String(block), '--no-storage-caching']),
}

/** `bench -- fork`. */
export async function benchFork(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { runs: { type: 'string', default: '3' } } })
  const upstream = await startRhizome([], 'upstream')
  const proxy = await FaultyProxy.open(upstream.url)
  try {
    const ask = asking(upstream.url)
    const { token } = await makeUpstreamChain(ask, 40, 5)
    const hash = await ask('eth_sendTransaction', [{ from: SENDER, data: SUM, gas: '0x200000' }])
    const { contractAddress: sum } = await ask<{ contractAddress: string }>('eth_getTransactionReceipt', [
      hash,
    ])
    const scene = { proxy, block: Number(await ask('eth_blockNumber')), token, sum }
    const names = Object.keys(CONTENDERS)
    const turns = new Map<string, Turn[]>(names.map((name) => [name, []]))
    for (let run = 0; run < Number(values.runs); run += 1) {
      for (const name of run % 2 === 0 ? names : names.toReversed()) {
        const turn = await measure(CONTENDERS[name] as Start, scene)
        if (turn !== null) turns.get(name)?.push(turn)
      }
    }
    saveResults(
      'fork',
      describeMachine(),
      [...turns].flatMap(([name, list]) => (list.length === 0 ? [] : [rowOf(name, list)])),
      Object.fromEntries(turns),
    )
  } finally {
    await proxy.close()
    await upstream.stop()
  }
}

async function measure(start: Start, scene: Scene): Promise<Turn | null> {
  const { proxy, token, sum } = scene
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-bench-fork-'))
  proxy.change = (_, result) => result
  proxy.counts.clear()
  const peer = await start(scene, folder)
  if (peer?.pid == null) return null
  const { pid, url } = peer
  const spent = async (work: () => Promise<void>) => {
    const [seconds, requests] = [processorSeconds(pid), proxy.requests]
    await work()
    return { seconds: processorSeconds(pid) - seconds, requests: proxy.requests - requests }
  }
  try {
    const begun = { seconds: processorSeconds(pid), requests: proxy.requests }
    const balance = { from: SENDER, to: token, data: `0x70a08231${word(SENDER)}` }
    const first = await spent(async () => assertCall(url, balance))
    const cells = await spent(async () => {
      await assertCall(url, { from: SENDER, to: sum, data: `0x${word(CELLS)}` })
    })
    const calls = await spent(async () => {
      for (let call = 0; call < CALLS; call += 1) await assertCall(url, balance)
    })
    const sent = await spent(async () => {
      const [from] = await askNode<string[]>(url, 'eth_accounts', [])
      const transaction = { from, to: sum, data: `0x${word(1)}`, gas: '0x20000' }
      const hash = await askNode(url, 'eth_sendTransaction', [transaction])
      while ((await askNode<object | null>(url, 'eth_getTransactionReceipt', [hash])) === null);
    })
    return {
      startRequests: begun.requests,
      start: begun.seconds,
      firstRequests: first.requests,
      first: first.seconds,
      cellsRequests: cells.requests,
      callsRequests: calls.requests,
      calls: calls.seconds,
      sendRequests: sent.requests,
      resident: residentMiB(pid),
      own: ownMiB(pid),
    }
  } finally {
    await peer.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function assertCall(url: string, call: object): Promise<void> {
  const result = await askNode<string>(url, 'eth_call', [call, 'latest'])
  if (BigInt(result) === 0n) throw new Error('a call on a fork has another result than on its network')
}

function rowOf(name: string, turns: readonly Turn[]): Row {
  const of = (part: keyof Turn) => median(turns.map((turn) => turn[part]))
  return {
    fork: name,
    'requests at the start': of('startRequests'),
    'first call': of('firstRequests'),
    [`a call of ${CELLS} cells`]: of('cellsRequests'),
    '1,000 calls': of('callsRequests'),
    'a first send': of('sendRequests'),
    'processor s: start': of('start').toFixed(2),
    'first call ': of('first').toFixed(2),
    '1,000 calls ': of('calls').toFixed(2),
    MiB: `${of('resident').toFixed(0)}, own ${of('own').toFixed(0)}`,
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}
