import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { untilWhole } from '../../test/fleet/availability/rounds.ts'
import { TestFleet } from '../../test/fleet/cluster/testFleet.ts'
import { type NodeProcess, startNode } from '../../test/support/nodeProcess.ts'
import { processorSeconds } from '../rpc/processStats.ts'

const BLOCK_TIME = ['--block-time', '2']
const PLAIN = ['--no-page', '--workers', '1', '--log-level', 'warn', '--block-headers']
const PEERS = ['--peers', '--p2p-host', '127.0.0.1', '--p2p-port', '0', '--no-discovery']

/** Processor seconds so far. */
export interface UsedTime {
  readonly nodes: number
  readonly nats: number
}

/** Nodes of one chain, which are a fleet or are not. */
export interface NodeSet {
  readonly urls: readonly string[]
  used(): UsedTime
  close(): Promise<void>
}

/** A fleet with NATS beside it; blocks every two seconds. */
export async function startFleet(
  members: number,
  servers: number,
  program: string,
): Promise<NodeSet & { readonly fleet: TestFleet }> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-bench-fleet-'))
  const fleet = await TestFleet.start({ folder, program, members, servers, args: BLOCK_TIME })
  await untilWhole(fleet)
  return {
    fleet,
    urls: fleet.members.map(({ url }) => url),
    used: () => ({
      nodes: sumOf(fleet.members.map(({ pid }) => pid)),
      nats: sumOf(fleet.servers?.servers.map(({ pid }) => pid) ?? []),
    }),
    close: async () => {
      await fleet.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** As many nodes, each a peer of each other one as members are: the first makes blocks every two seconds. */
export async function startPeers(count: number, program: string): Promise<NodeSet> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-bench-peers-'))
  const nodes: NodeProcess[] = []
  const start = async (args: readonly string[]) => {
    const dataDir = join(folder, String(nodes.length))
    const node = await startNode({ dataDir, program, args: [...PLAIN, ...PEERS, ...args] })
    nodes.push(node)
    return node
  }
  const enodes: string[] = []
  while (nodes.length < count) {
    const dialled = enodes.flatMap((enode) => ['--peer', enode])
    const node = await start([...(nodes.length === 0 ? BLOCK_TIME : ['--no-mining']), ...dialled])
    const { enode } = await node.request<{ enode: string }>('admin_nodeInfo')
    enodes.push(enode)
  }
  return {
    urls: nodes.map(({ url }) => url),
    used: () => ({ nodes: sumOf(nodes.map(({ pid }) => pid)), nats: 0 }),
    close: async () => {
      await Promise.all(nodes.map((node) => node.stop('SIGKILL')))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function sumOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + processorSeconds(pid), 0)
}
