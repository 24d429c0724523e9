import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { COW_KEY } from '../../test/support/accounts.ts'
import { cliArguments } from '../../test/support/cli.ts'
import { askNode, freePort, startNode } from '../../test/support/nodeProcess.ts'
import { listenerOf } from './processStats.ts'

/** A node under load. */
export interface Peer {
  readonly name: string
  readonly url: string
  /** Address for WebSockets; null where there is none. */
  readonly socketUrl: string | null
  /** Process whose processor time is counted, including its descendants; null for one on another machine. */
  readonly pid: number | null
  /** Key of an account with funds; null where the node signs for its first account. */
  readonly funder: Hex | null
  stop(): Promise<void>
}

/** Key of the first account that anvil funds, from its published mnemonic. */
const ANVIL_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const START_LIMIT_MS = 30_000

/**
 * Starts this node on a new data directory.
 * @param program a compiled command line in place of this repository's
 * @param nodeArgs options of Node.js itself
 */
export async function startRhizome(
  args: readonly string[],
  name = 'rhizome',
  program?: string,
  nodeArgs: readonly string[] = [],
): Promise<Peer> {
  if (program === undefined && cliArguments().length > 1) {
    throw new Error(
      'dist/ is older than src/ (npm run build:ts): sources under the loader take four times the memory',
    )
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'rhizome-bench-'))
  const node = await startNode({
    dataDir,
    args: ['--log-level', 'warn', ...args],
    ...(program === undefined ? {} : { program }),
    nodeArgs,
  })
  return {
    name,
    url: node.url,
    socketUrl: node.url.replace('http', 'ws'),
    pid: node.pid,
    funder: COW_KEY,
    stop: async () => {
      await node.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Starts anvil where it is installed (`npm install --no-save @foundry-rs/anvil`, or on the path). */
export async function startAnvil(args: readonly string[] = []): Promise<Peer | null> {
  const program = findProgram('anvil', ['node_modules/.bin/anvil'])
  if (program === null) return null
  const port = await freePort()
  const child = spawn(program, ['--port', String(port), '--silent', ...args], { stdio: 'ignore' })
  return settle({ name: 'anvil', port, socketPort: port, child, funder: ANVIL_KEY })
}

/** Starts `geth --dev` where it is installed (`go install github.com/ethereum/go-ethereum/cmd/geth@v1.15.11`). */
export function startGeth(extra: readonly string[] = []): Promise<Peer | null> {
  return runGeth('geth --dev', ['--dev', ...extra])
}

/** Starts geth, where it is installed, on a chain of a genesis alone, made in a folder that is empty. */
export async function startGethOn(folder: string, genesis: string): Promise<Peer | null> {
  const program = findGeth()
  if (program === null) return null
  const { status, stderr } = spawnSync(program, ['--datadir', folder, 'init', genesis], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`geth init: ${stderr}`)
  return runGeth('geth', [
    '--datadir',
    folder,
    '--networkid',
    '1337',
    '--maxpeers',
    '0',
    '--syncmode',
    'full',
  ])
}

function findGeth(): string | null {
  return findProgram('geth', [join(homedir(), 'go/bin/geth')])
}

async function runGeth(name: string, extra: readonly string[]): Promise<Peer | null> {
  const program = findGeth()
  if (program === null) return null
  const [port, socketPort] = [await freePort(), await freePort()]
  const args = [
    '--ipcdisable',
    '--nodiscover',
    '--gcmode',
    'archive',
    '--port',
    '0',
    '--authrpc.port',
    String(await freePort()),
  ]
  const modules = 'eth,net,web3,debug'
  const http = ['--http', '--http.port', String(port), '--http.api', modules]
  const sockets = ['--ws', '--ws.port', String(socketPort), '--ws.api', modules, '--ws.origins', '*']
  const child = spawn(program, [...args, ...http, ...sockets, '--verbosity', '1', ...extra], {
    stdio: 'ignore',
  })
  return settle({ name, port, socketPort, child, funder: null })
}

/**
 * A running node, given as `NAME=URL`, with its address for WebSockets as `NAME=URL,URL`. The account that
 * regtest funds must have money there. On this machine its process is found by the port, so that its time
 * counts.
 */
export function connectPeer(text: string): Peer {
  const [name, addresses] = text.split(/=(.*)/s)
  const [url, socketUrl = null, ...rest] = addresses?.split(',') ?? []
  const areAddresses = [url, socketUrl ?? url].every(
    (address) => address !== undefined && URL.canParse(address),
  )
  if (name === undefined || url === undefined || !areAddresses || rest.length > 0) {
    throw new Error(`NAME=URL or NAME=URL,WEBSOCKET-URL expected, not ${text}`)
  }
  const { hostname, port } = new URL(url)
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
  const pid = isHere ? listenerOf(Number(port)) : null
  return { name, url, socketUrl, pid, funder: COW_KEY, stop: async () => undefined }
}

interface Started {
  readonly name: string
  readonly port: number
  readonly socketPort: number
  readonly child: ChildProcess
  readonly funder: Hex | null
}

async function settle({ name, port, socketPort, child, funder }: Started): Promise<Peer> {
  const url = `http://127.0.0.1:${port}`
  const limit = Date.now() + START_LIMIT_MS
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > limit) throw new Error(`${name} does not answer`)
    await sleep(50)
  }
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    name,
    url,
    socketUrl: `ws://127.0.0.1:${socketPort}`,
    pid: child.pid ?? null,
    funder,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    await askNode(url, 'eth_chainId', [])
    return true
  } catch {
    return false
  }
}

function findProgram(name: string, others: readonly string[]): string | null {
  const named = process.env[`RHIZOME_BENCH_${name.toUpperCase()}`]
  const paths = [...(named === undefined ? [] : [named]), name, ...others]
  return paths.find((path) => spawnSync(path, ['--version']).error === undefined) ?? null
}
