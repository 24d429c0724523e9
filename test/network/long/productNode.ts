import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PeerReport } from '../../../src/node/peers/messages.ts'
import { processMemory } from '../../fuzz/processMemory.ts'

/** How a node is started. */
export interface ProductOptions {
  /** Its compiled entry. */
  readonly program: string
  readonly dataDir: string
  /** Address that it takes peers and requests at. */
  readonly address: string
  /** That for requests, where it is another one. */
  readonly requestsAt?: string
  readonly port: number
  readonly peers?: readonly string[]
  readonly args?: readonly string[]
  /** What it runs under: a processor, a namespace. */
  readonly under?: readonly string[]
}

/** What `sco_peerList` tells of a node or an address. */
export interface Score {
  readonly id: string
  readonly type: 'node' | 'address'
  readonly score: number
  readonly punishments: number
  readonly [counter: string]: number | string | boolean
}

const LOOK_MS = 25
const STARTS = 2400
/** Collections until nothing moves any more. */
const SETTLES = 3
const SETTLE_MS = 400

/** A node as users have it, in a process of its own. */
export class ProductNode {
  readonly options: ProductOptions
  readonly #child: ChildProcess
  #output = ''

  private constructor(options: ProductOptions, child: ChildProcess) {
    this.options = options
    this.#child = child
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = `${this.#output}${text}`.slice(-20_000)
      })
  }

  /** Starts a node; it answers requests when this returns. @throws Error with its output when it ends before */
  static async start(options: ProductOptions): Promise<ProductNode> {
    mkdirSync(options.dataDir, { recursive: true })
    const { program, dataDir, address, port, peers = [], args = [], under = [] } = options
    const words = [
      ...['--network', 'regtest', '--data-dir', dataDir, '--no-mining', '--no-page', '--workers', '1'],
      ...[
        '--log-level',
        'error',
        '--host',
        options.requestsAt ?? address,
        '--http-port',
        String(port),
        '--allow-remote-control',
      ],
      ...['--peers', '--p2p-host', address, '--p2p-port', String(port + 1), '--expected-peers', '1'],
      ...peers.flatMap((peer) => ['--peer', peer]),
      ...args,
    ]
    const [command = '', ...rest] = [...under, process.execPath, program, 'start', ...words]
    const { NODE_OPTIONS: _, ...env } = process.env
    const child = spawn(command, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const node = new ProductNode(options, child)
    for (let look = 0; look < STARTS; look += 1) {
      if (child.exitCode !== null) break
      const isUp = await node.request('eth_chainId').then(
        () => true,
        () => false,
      )
      if (isUp) return node
      await sleep(LOOK_MS)
    }
    child.kill('SIGKILL')
    throw new Error(`the node does not answer:\n${node.#output}`)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  get output(): string {
    return this.#output
  }

  /** TCP port of its peers. */
  get peerPort(): number {
    return this.options.port + 1
  }

  async request<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    const { address, requestsAt = address, port } = this.options
    const response = await fetch(`http://${requestsAt}:${port}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const answer = (await response.json()) as { result: T; error?: { message: string } }
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }

  async enode(): Promise<string> {
    return (await this.request<{ enode: string }>('admin_nodeInfo')).enode
  }

  async head(): Promise<{ readonly number: number; readonly hash: string }> {
    const { number, hash } = await this.request<{ number: string; hash: string }>('eth_getBlockByNumber', [
      'latest',
      false,
    ])
    return { number: Number(number), hash }
  }

  scores(): Promise<Score[]> {
    return this.request('sco_peerList')
  }

  /** What its peers' thread told last; null before it told anything. Total difficulties are text. */
  report(): PeerReport | null {
    try {
      return JSON.parse(readFileSync(join(this.options.dataDir, 'report.json'), 'utf8')) as PeerReport
    } catch {
      return null
    }
  }

  /** Bytes of its own. */
  memory(): number {
    return this.isAlive ? processMemory(this.pid).own : 0
  }

  /** Bytes of its own once every heap has been collected. */
  async settledMemory(): Promise<number> {
    for (let time = 0; time < SETTLES && this.isAlive; time += 1) {
      process.kill(this.pid, 'SIGUSR2')
      await sleep(SETTLE_MS)
    }
    return this.memory()
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (!this.isAlive) return
    const ended = once(this.#child, 'exit')
    this.#child.kill(signal)
    await ended
  }

  /** What `rhizome check` says of its store, once it has stopped; null where it is clean. */
  async check(): Promise<string | null> {
    const { program, dataDir } = this.options
    const { NODE_OPTIONS: _, ...env } = process.env
    const child = spawn(process.execPath, [program, 'check', '--network', 'regtest', '--data-dir', dataDir], {
      env,
    })
    let text = ''
    child.stdout.on('data', (part: Buffer) => {
      text += part
    })
    child.stderr.on('data', (part: Buffer) => {
      text += part
    })
    const [code] = (await once(child, 'close')) as [number]
    return code === 0 && / 0 problems/.test(text) ? null : `check ended with ${code}: ${text}`
  }
}
