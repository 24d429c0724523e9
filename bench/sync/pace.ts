import { setTimeout as sleep } from 'node:timers/promises'
import { processorSeconds } from '../rpc/processStats.ts'
import type { LimitedServers } from './limitedServers.ts'
import { startClient } from './nodes.ts'

/** What a download from servers with a limit came to, once it was under way. */
export interface PaceStats {
  /** Until all servers were connected. */
  readonly dialSeconds: number
  readonly blocks: number
  readonly seconds: number
  /** Processor time of the client and of the servers meanwhile, all threads. */
  readonly clientSeconds: number
  readonly serverSeconds: number
  /** Messages that the servers dropped, from the beginning. */
  readonly dropped: number
}

const LOOK_MS = 20
/** After the last server is connected: what may go at once has gone then. */
const SETTLE_MS = 5_000

/** Synchronises a new node for a time, or until it has everything. */
export async function measurePace(servers: LimitedServers, seconds: number): Promise<PaceStats> {
  const client = await startClient(servers.enodes.length)
  const { node } = client
  try {
    const began = performance.now()
    await Promise.all(servers.enodes.map((enode) => node.request('admin_addPeer', [enode])))
    while (Number(await node.request('net_peerCount')) < servers.enodes.length) await sleep(LOOK_MS)
    const dialSeconds = (performance.now() - began) / 1000
    await sleep(SETTLE_MS)
    const start = performance.now()
    const [clientSeconds, serverSeconds] = [processorSeconds(node.pid), processorSeconds(servers.pid)]
    const first = await client.height()
    let last = first
    while (last < servers.height && performance.now() - start < seconds * 1000) {
      await sleep(LOOK_MS)
      last = await client.height()
    }
    return {
      dialSeconds,
      blocks: last - first,
      seconds: (performance.now() - start) / 1000,
      clientSeconds: processorSeconds(node.pid) - clientSeconds,
      serverSeconds: processorSeconds(servers.pid) - serverSeconds,
      dropped: await servers.dropped(),
    }
  } finally {
    await client.close()
  }
}
