import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { COW_KEY } from '../../test/support/accounts.ts'
import { startNode } from '../../test/support/nodeProcess.ts'
import { type Scene, type SceneSize, setUpScene } from '../rpc/setup.ts'

/** Limits of one key, as a file of keys has them. */
export type KeyLimits = Readonly<Record<string, number>>

/** A hosted node with a scene and keys. */
export interface Endpoint {
  readonly pid: number
  readonly scene: Scene
  /** Address with the key of a name. */
  url(key: string): string
  socketUrl(key: string): string
  stop(): Promise<void>
}

/** Key that makes the scene; it has no limits. */
export const OWNER = 'owner'

/** Those of hosted nodes, tracing, and what makes the scene quick to set up. */
const MODULES = 'eth,net,web3,rsk,trace,debug,evm'

/**
 * Starts a node on the hosted profile. Its limits of addresses do not count, for every request carries a key.
 * @param keys names and limits of keys
 * @param more arguments of the node
 * @param program its compiled command line, unless it is this repository's
 */
export async function openEndpoint(
  size: SceneSize,
  keys: Readonly<Record<string, KeyLimits>>,
  more: readonly string[] = [],
  program?: string,
): Promise<Endpoint> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-overload-'))
  const keysFile = join(folder, 'keys.yaml')
  const entries = Object.entries({ [OWNER]: {}, ...keys }).map(([name, limits]) => ({
    id: name,
    hash: createHash('sha256').update(secretOf(name)).digest('hex'),
    ...limits,
  }))
  writeFileSync(keysFile, JSON.stringify(entries))
  const args = ['--profile', 'hosted', '--network', 'regtest', '--no-account-quota', '--modules', MODULES]
  const node = await startNode({
    dataDir: join(folder, 'data'),
    path: pathOf(OWNER),
    args: [...args, '--keys-file', keysFile, '--log-level', 'warn', ...more],
    ...(program === undefined ? {} : { program }),
  })
  const origin = new URL(node.url).origin
  const stop = async () => {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  const url = (key: string) => `${origin}${pathOf(key)}`
  const peer = { name: 'rhizome', url: node.url, socketUrl: null, pid: node.pid, funder: COW_KEY, stop }
  const scene = await setUpScene(peer, size).catch(async (error: unknown) => {
    await stop()
    throw new Error(`${String(error)}\n${node.output()}`)
  })
  return {
    pid: node.pid,
    scene,
    url,
    socketUrl: (key) => url(key).replace('http', 'ws'),
    stop,
  }
}

function secretOf(name: string): string {
  return `secret-of-${name}`
}

function pathOf(name: string): string {
  return `/${secretOf(name)}`
}
