import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { askNode } from '../../test/support/nodeProcess.ts'
import { Generator, type LoadStats } from '../load/generator.ts'
import { describeMachine } from '../report/machine.ts'
import { type Row, saveResults } from '../report/results.ts'
import { connectPeer, type Peer, startRhizome } from '../rpc/peers.ts'
import { textOf } from '../rpc/requests.ts'
import { setUpScene } from '../rpc/setup.ts'
import { createWorkloads } from '../rpc/workloads.ts'
import { type PollStats, WorkPollers } from './pollers.ts'

/** Block interval under load in milliseconds, so that work really changes. */
const BLOCK_PERIOD = 2000
const SCENE = { accounts: 50, sparseBlocks: 0 }

interface Measurement {
  readonly peer: string
  /** The reads. */
  readonly workload: string
  /** Reads alone. */
  readonly unloaded: LoadStats
  /** Reads concurrent with the pools. */
  readonly loaded: LoadStats
  /** Pools concurrent with the reads. */
  readonly work: PollStats
}

/** Seconds of load before the first measurement. */
const WARM_UP = 4

/**
 * `bench -- mining [--peer NAME=URL …] [--seconds N] [--pools N] [--readers N] [--workload TEXT …]`: pool
 * connections poll for work every second while readers load the node at full speed. This node is also
 * measured without its response cache, so that every read is computed.
 */
export async function benchMining(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      peer: { type: 'string', multiple: true, default: [] },
      seconds: { type: 'string', default: '10' },
      pools: { type: 'string', default: '200' },
      readers: { type: 'string', default: '64' },
      workload: { type: 'string', multiple: true, default: ['eth_getBalance latest', 'eth_call balanceOf'] },
      transfers: { type: 'string', default: '100' },
    },
  })
  const generator = new Generator()
  const machine = describeMachine()
  const peers = [
    await startRhizome([]),
    await startRhizome(['--response-cache', '0'], 'rhizome, no answer cache'),
    ...values.peer.map(connectPeer),
  ]
  const measured: Measurement[] = []
  try {
    for (const peer of peers) {
      const scene = await setUpScene(peer, { ...SCENE, transfers: Number(values.transfers) })
      const all = createWorkloads(scene)
      for (const text of values.workload) {
        const workload = all.find(({ name }) => name.includes(text))
        if (workload === undefined) throw new Error(`no workload ${text}`)
        const requests = generator.write(workload.bodies().map(textOf))
        const readers = (seconds: number) =>
          generator.load(peer.url, requests, { seconds, connections: Number(values.readers) })
        const stats = await measure(peer, readers, Number(values.seconds), Number(values.pools))
        measured.push({ peer: peer.name, workload: workload.name, ...stats })
        console.error(`${peer.name}, ${workload.name} done`)
      }
    }
    saveResults('mining', machine, toRows(measured), { options: values, measured })
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()))
    generator.close()
  }
}

async function measure(
  peer: Peer,
  readers: (seconds: number) => Promise<LoadStats>,
  seconds: number,
  pools: number,
): Promise<Omit<Measurement, 'peer' | 'workload'>> {
  await readers(WARM_UP)
  const unloaded = await readers(seconds)
  const pollers = new WorkPollers(peer.url, pools, 1000)
  const blocks = setInterval(() => {
    askNode(peer.url, 'evm_mine', []).catch(() => undefined)
  }, BLOCK_PERIOD)
  try {
    await sleep(2000)
    pollers.reset()
    const loaded = await readers(seconds)
    return { unloaded, loaded, work: pollers.stats() }
  } finally {
    clearInterval(blocks)
    pollers.stop()
  }
}

function toRows(measured: readonly Measurement[]): Row[] {
  const own = measured[0]?.work
  return measured.map(({ peer, workload, unloaded, loaded, work }) => ({
    node: peer,
    reads: workload,
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
