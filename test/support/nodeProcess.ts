import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CommandResult, cliArguments, startCommand } from './cli.ts'

/** A node that runs as a process of its own. */
export interface NodeProcess {
  readonly url: string
  readonly pid: number
  /** Asks over JSON-RPC; an error of the answer is thrown. */
  request<T>(method: string, params?: readonly unknown[]): Promise<T>
  /** Everything printed so far. */
  output(): string
  /**
   * Waits until a text was printed.
   * @throws Error when the node ends without
   */
  untilPrinted(text: string): Promise<void>
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<CommandResult>
}

export interface StartNodeOptions {
  readonly dataDir: string
  readonly args?: readonly string[]
  /** Program and arguments to run the node under. */
  readonly under?: readonly string[]
  /** A compiled command line in place of this repository's. */
  readonly program?: string
  /** Options of Node.js itself. */
  readonly nodeArgs?: readonly string[]
  /** What requests put behind the address, such as `/KEY`. */
  readonly path?: string
  /** The port; a free one unless given. */
  readonly port?: number
  /** Address that it takes requests at; that of loopback unless given. */
  readonly host?: string
}

/** An error that a JSON-RPC answer carries. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError'
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message)
    this.code = code
    this.data = data
  }
}

const LOOPBACK = '127.0.0.1'
const START_POLL_MS = 50
const PRINT_POLL_MS = 20
/** Looks for an answer, a minute of them: a count, because a whole machine may have stood still meanwhile. */
const START_POLLS = 1200

/**
 * Ports that systems give to nobody who does not ask for them by number: a connection of another test would have one of
 * the others between the look for a free port and its use, or while a node of it is down.
 */
const FIRST_PORT = 10_240
const END_OF_PORTS = 30_000
const PORT_ATTEMPTS = 100
/** Programs of one test do not get the same. */
const givenPorts = new Set<number>()

/**
 * Runs `rhizome start` on a free port and waits until it answers.
 * @throws Error with the output when it ends or stays silent
 */
export async function startNode(options: StartNodeOptions): Promise<NodeProcess> {
  const port = options.port ?? (await freePort())
  const args = options.args ?? []
  // A hosted node has a second port, which tests that run side by side must not share.
  const metrics = args.includes('hosted') ? ['--metrics-port', String(await freePort())] : []
  const { host = LOOPBACK } = options
  const open = host === LOOPBACK ? [] : ['--host', host, '--allow-remote-control']
  const command = startCommand(
    ['start', '--data-dir', options.dataDir, '--http-port', String(port), ...open, ...metrics, ...args],
    options.under,
    [...(options.nodeArgs ?? []), ...(options.program === undefined ? cliArguments() : [options.program])],
  )
  const url = `http://${host}:${port}${options.path ?? ''}`
  const request = <T>(method: string, params: readonly unknown[] = []) => askNode<T>(url, method, params)
  const ended = command.done.then(() => 'ended' as const)
  for (let poll = 0; ; poll += 1) {
    const answer = await Promise.race([
      ended,
      request('eth_chainId').then(
        () => 'up' as const,
        () => 'down' as const,
      ),
    ])
    if (answer === 'up') break
    if (answer === 'ended' || poll > START_POLLS) {
      command.kill('SIGKILL')
      throw new Error(`the node does not answer:\n${command.output()}`)
    }
    await sleep(START_POLL_MS)
  }
  return {
    url,
    pid: command.process.pid ?? 0,
    request,
    output: command.output,
    untilPrinted: async (text) => {
      while (!command.output().includes(text)) {
        if (!command.isRunning()) await command.done
        if (!command.isRunning() && !command.output().includes(text)) {
          throw new Error(`the node ended without "${text}":\n${command.output()}`)
        }
        await sleep(PRINT_POLL_MS)
      }
    },
    stop: (signal = 'SIGTERM') => {
      command.kill(signal)
      return command.done
    },
  }
}

/** Asks a node over HTTP. */
export async function askNode<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const answer = (await response.json()) as {
    result?: T
    error?: { code: number; message: string; data?: unknown }
  }
  if (answer.error !== undefined) throw new JsonRpcError(answer.error)
  return answer.result as T
}

/** A port that nothing listens on, for programs that are given one. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST_PORT, END_OF_PORTS)
    if (!givenPorts.has(port) && (await isFree(port))) {
      givenPorts.add(port)
      return port
    }
  }
  throw new Error('no free port')
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, LOOPBACK)
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (!isListening) return false
  server.close()
  await once(server, 'close')
  return true
}
