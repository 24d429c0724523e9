import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { askNode } from '../../test/support/nodeProcess.ts'
import { describeMachine } from '../report/machine.ts'
import { type Row, saveResults } from '../report/results.ts'
import { connectPeer, type Peer, startRhizome } from '../rpc/peers.ts'
import { setUpScene } from '../rpc/setup.ts'
import { createWorkloads } from '../rpc/workloads.ts'
import { type LoadFigures, missingGenerator, runLoad } from '../rpc/wrk.ts'
import { type PollFigures, WorkPollers } from './pollers.ts'

/** Milliseconds between two blocks of the chain under load, so that work really changes. */
const BLOCK_PERIOD = 2000

interface Measurement {
  readonly peer: string
  /** Reads alone. */
  readonly unloaded: LoadFigures
  /** Reads beside the pools. */
  readonly loaded: LoadFigures
  /** The pools beside the reads. */
  readonly work: PollFigures
}

/**
 * `bench -- mining [--peer NAME=URL …] [--seconds N] [--pools N] [--readers N] [--workload TEXT]`: so many pool
 * connections ask for work every second while readers load the node at full speed.
 */
export async function benchMining(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      peer: { type: 'string', multiple: true, default: [] },
      seconds: { type: 'string', default: '15' },
      pools: { type: 'string', default: '200' },
      readers: { type: 'string', default: '64' },
      workload: { type: 'string', default: 'eth_getBalance' },
      transfers: { type: 'string', default: '100' },
    },
  })
  const missing = missingGenerator()
  if (missing !== null) throw new Error(missing)
  const machine = describeMachine()
  const peers = [await startRhizome([]), ...values.peer.map(connectPeer)]
  const measured: Measurement[] = []
  try {
    for (const peer of peers) {
      const scene = await setUpScene(peer, Number(values.transfers))
      const workload = createWorkloads(scene).find(({ name }) => name.includes(values.workload))
      if (workload === undefined) throw new Error(`no workload ${values.workload}`)
      const load = { seconds: Number(values.seconds), connections: Number(values.readers) }
      const readers = () => runLoad(peer.url, workload, load)
      measured.push(await measure(peer, readers, Number(values.pools)))
      console.error(`${peer.name} done`)
    }
    saveResults('mining', machine, toRows(measured), { options: values, measured })
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()))
  }
}

async function measure(peer: Peer, readers: () => Promise<LoadFigures>, pools: number): Promise<Measurement> {
  await readers()
  const unloaded = await readers()
  const pollers = new WorkPollers(peer.url, pools, 1000)
  const blocks = setInterval(() => {
    askNode(peer.url, 'evm_mine', []).catch(() => undefined)
  }, BLOCK_PERIOD)
  try {
    await sleep(2000)
    pollers.reset()
    const loaded = await readers()
    return { peer: peer.name, unloaded, loaded, work: pollers.figures() }
  } finally {
    clearInterval(blocks)
    pollers.stop()
  }
}

function toRows(measured: readonly Measurement[]): Row[] {
  const own = measured[0]?.work
  return measured.map(({ peer, unloaded, loaded, work }) => ({
    node: peer,
    'work p50 ms': work.p50,
    'work p99 ms': work.p99,
    'work p99.9 ms': work.p999,
    'work most ms': work.most,
    'poller delay p99 ms': work.ownDelay,
    failures: work.failures + loaded.failures,
    'reads/s alone': Math.round(unloaded.requestsPerSecond),
    'reads/s beside': Math.round(loaded.requestsPerSecond),
    'reads kept %': (loaded.requestsPerSecond / unloaded.requestsPerSecond) * 100,
    'ratio of work p99': own === undefined ? '' : work.p99 / own.p99,
  }))
}
