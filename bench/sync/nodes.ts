import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand } from '../../test/support/cli.ts'
import { freePort, type NodeProcess, startNode } from '../../test/support/nodeProcess.ts'
import { processorSeconds } from '../rpc/processStats.ts'

/** What one synchronisation took. */
export interface SyncStats {
  readonly blocks: number
  /** From the moment the client learns of its peers until it has their head: dialling and headers included. */
  readonly seconds: number
  /** Processor time of the client, all threads. */
  readonly clientSeconds: number
  /** Processor time of the servers' processes, all threads. */
  readonly serverSeconds: number
}

/** A node that others synchronise from. */
export interface ServerNode {
  readonly enode: string
  readonly pid: number
  readonly height: number
  close(): Promise<void>
}

const LOOK_MS = 20
const QUIET = ['--no-mining', '--no-page', '--log-level', 'error', '--p2p-host', '127.0.0.1']

/** Starts a node with the blocks of a file. */
export async function startServer(file: string): Promise<ServerNode> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rhizome-bench-'))
  const imported = await runCommand(['import', file, '--data-dir', dataDir, '--log-level', 'error'])
  if (imported.code !== 0) throw new Error(`import: ${imported.stdout}${imported.stderr}`)
  const port = String(await freePort())
  const node = await startNode({ dataDir, args: [...QUIET, '--peers', '--p2p-port', port] })
  const { enode } = await node.request<{ enode: string }>('admin_nodeInfo')
  return {
    enode,
    pid: node.pid,
    height: await heightOf(node),
    close: async () => {
      await node.stop('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** What a client is to synchronise, and for how long. */
export interface SyncTask {
  readonly enodes: readonly string[]
  /** Height at which it has everything. */
  readonly height: number
  /** Process of the servers. */
  readonly serverPid: number
}

/** A node that has only its genesis. */
export interface ClientNode {
  readonly node: NodeProcess
  height(): Promise<number>
  close(): Promise<void>
}

/** Starts a new node. @param servers how many peers it is going to have */
export async function startClient(servers: number): Promise<ClientNode> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rhizome-bench-'))
  const args = [...QUIET, '--peers', '--p2p-port', '0', '--expected-peers', String(servers)]
  const node = await startNode({ dataDir, args: [...args, '--max-peers', '60'] })
  return {
    node,
    height: () => heightOf(node),
    close: async () => {
      await node.stop('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** What a synchronisation took, and what was done with the node meanwhile and after it. */
export interface SyncResult<T> extends SyncStats {
  readonly during: T | null
  readonly after: T | null
}

/**
 * Synchronises a new node.
 * @param work something to do with it meanwhile, given its address, and once more when it has everything
 */
export async function synchronise<T>(
  task: SyncTask,
  work: ((url: string) => Promise<T>) | null = null,
): Promise<SyncResult<T>> {
  const client = await startClient(task.enodes.length)
  const { node } = client
  try {
    const clientBefore = processorSeconds(node.pid)
    const serverBefore = processorSeconds(task.serverPid)
    const start = performance.now()
    await Promise.all(task.enodes.map((enode) => node.request('admin_addPeer', [enode])))
    const during = work?.(node.url)
    let height = await client.height()
    while (height < task.height) {
      await sleep(LOOK_MS)
      height = await client.height()
    }
    const stats = {
      blocks: height,
      seconds: (performance.now() - start) / 1000,
      clientSeconds: processorSeconds(node.pid) - clientBefore,
      serverSeconds: processorSeconds(task.serverPid) - serverBefore,
    }
    return { ...stats, during: (await during) ?? null, after: (await work?.(node.url)) ?? null }
  } finally {
    await client.close()
  }
}

async function heightOf(node: NodeProcess): Promise<number> {
  return Number(await node.request<string>('eth_blockNumber'))
}
