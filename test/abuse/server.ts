import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { LOADER } from '../support/sources.ts'

/** Paths of the keys of two customers: one attacks, one is light. */
export const KEY_PATH = '/key-of-a-customer'
export const LIGHT_PATH = '/key-of-another'

/** The core that a server gets to itself; generators run on the other. */
const SERVER_CORE = '0'
export const GENERATOR_CORE = '1'

const START_POLLS = 600

/** A server under attack. */
export interface AttackedServer {
  readonly pid: number
  readonly port: number
  /** Whether it still runs. */
  isAlive(): boolean
  stop(): Promise<void>
}

/**
 * Starts a node with the default settings of the hosted profile, with the keys of two customers.
 * @param program the built command line
 * @param requireKey whether strangers are let through
 * @throws Error when it does not answer
 */
export async function startHosted(program: string, requireKey: 'auto' | 'never'): Promise<AttackedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-abuse-'))
  const keysFile = join(folder, 'keys.yaml')
  const keys = [KEY_PATH, LIGHT_PATH].map((path, index) => {
    const hash = createHash('sha256').update(path.slice(1)).digest('hex')
    return `- {id: customer-${index}, hash: ${hash}}\n`
  })
  writeFileSync(keysFile, keys.join(''))
  const [port, metricsPort] = await freePorts()
  const child = onOwnCore([
    ...[process.execPath, program, 'start', '--profile', 'hosted', '--network', 'regtest'],
    ...[
      '--data-dir',
      join(folder, 'data'),
      '--http-port',
      String(port),
      '--metrics-port',
      String(metricsPort),
    ],
    ...['--log-level', 'error', '--keys-file', keysFile, '--require-key', requireKey],
  ])
  const server = serverOf(child, port, () => rmSync(folder, { recursive: true, force: true }))
  for (let poll = 0; poll < START_POLLS; poll += 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return server
    if (!server.isAlive()) break
    await sleep(100)
  }
  await server.stop()
  throw new Error('the node does not answer')
}

/** Starts the socket library alone. */
export async function startBare(): Promise<AttackedServer> {
  const child = onOwnCore([
    process.execPath,
    '--import',
    LOADER,
    fileURLToPath(new URL('./bareServer.ts', import.meta.url)),
  ])
  const port = await new Promise<number>((resolve) => {
    child.stdout?.once('data', (data: Buffer) => resolve(Number(data.toString())))
  })
  return serverOf(child, port, () => undefined)
}

function onOwnCore(command: readonly string[]): ChildProcess {
  return spawn('taskset', ['-c', SERVER_CORE, ...command], { stdio: ['ignore', 'pipe', 'inherit'] })
}

function serverOf(child: ChildProcess, port: number, clean: () => void): AttackedServer {
  const isAlive = () => child.exitCode === null && child.signalCode === null
  return {
    pid: child.pid ?? 0,
    port,
    isAlive,
    stop: async () => {
      if (isAlive()) {
        const ended = new Promise((resolve) => child.once('exit', resolve))
        child.kill('SIGKILL')
        await ended
      }
      clean()
    },
  }
}

/** Two, which are taken at the same time: one that is free again may be given again. */
async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()]
  const ports: number[] = []
  for (const server of servers) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    ports.push(typeof address === 'object' && address !== null ? address.port : 0)
  }
  for (const server of servers) server.close()
  const [first = 0, second = 0] = ports
  return [first, second]
}
