import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../support/nodeProcess.ts'

/** Where a server of NATS runs. */
export interface NatsPlace {
  readonly under: readonly string[]
  /** Address that members and other servers reach it at. */
  readonly address: string
}

const LOCAL: NatsPlace = { under: [], address: '127.0.0.1' }
const LOOK_MS = 50
const MOST_LOOKS = 600

interface NatsNode {
  readonly name: string
  readonly place: NatsPlace
  readonly port: number
  readonly monitor: number
  readonly config: string
  child: ChildProcess | null
}

/** Servers of NATS with JetStream that write to disk before they acknowledge, each ended and started again. */
export class NatsNodes {
  readonly #nodes: readonly NatsNode[]

  private constructor(nodes: readonly NatsNode[]) {
    this.#nodes = nodes
  }

  /** Starts as many as there are places: one, or a cluster. */
  static async start(folder: string, places: readonly NatsPlace[]): Promise<NatsNodes> {
    const ports = await Promise.all(
      places.map(async () => [await freePort(), await freePort(), await freePort()]),
    )
    const routes = places.map(({ address }, at) => `nats-route://${address}:${ports[at]?.[1]}`)
    const nodes = places.map((place, at): NatsNode => {
      const [port = 0, cluster = 0, monitor = 0] = ports[at] ?? []
      const name = `n${at}`
      const store = join(folder, name)
      mkdirSync(store, { recursive: true })
      const config = join(folder, `${name}.conf`)
      const joined =
        places.length === 1
          ? ''
          : `cluster { name: test, listen: "0.0.0.0:${cluster}", no_advertise: true, routes: [${routes.map((route) => `"${route}"`).join(', ')}] }\n`
      writeFileSync(
        config,
        `server_name: ${name}\nlisten: "0.0.0.0:${port}"\nhttp: "0.0.0.0:${monitor}"\nping_interval: "2s"\n` +
          `jetstream { store_dir: "${store}", sync_interval: always, max_file_store: 8GB, max_memory_store: 64MB }\n${joined}`,
      )
      return { name, place, port, monitor, config, child: null }
    })
    const servers = new NatsNodes(nodes)
    try {
      await Promise.all(nodes.map((_, at) => servers.start(at)))
      return servers
    } catch (error) {
      await servers.close()
      throw error
    }
  }

  static local(folder: string, count: number): Promise<NatsNodes> {
    return NatsNodes.start(
      folder,
      Array.from({ length: count }, () => LOCAL),
    )
  }

  get count(): number {
    return this.#nodes.length
  }

  /** Addresses as members are given them. */
  get urls(): readonly string[] {
    return this.#nodes.map(({ place, port }) => `nats://${place.address}:${port}`)
  }

  /** Ports, for who reaches the servers at other addresses. */
  get ports(): readonly number[] {
    return this.#nodes.map(({ port }) => port)
  }

  /** Processes that run. */
  get pids(): readonly number[] {
    return this.#nodes.flatMap(({ child }) => (child?.pid === undefined ? [] : [child.pid]))
  }

  /** Starts one; it takes connections when this returns. */
  async start(at: number): Promise<void> {
    const node = this.#node(at)
    const [command = '', ...args] = [...node.place.under, 'nats-server', '-c', node.config]
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(-MOST_OUTPUT)
    })
    node.child = child
    for (let look = 0; !output.includes('Server is ready'); look += 1) {
      if (child.exitCode !== null || look > MOST_LOOKS)
        throw new Error(`nats-server does not start:\n${output}`)
      await sleep(LOOK_MS)
    }
  }

  async kill(at: number): Promise<void> {
    const node = this.#node(at)
    const { child } = node
    node.child = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  signal(at: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#node(at).child?.kill(signal)
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((_, at) => this.kill(at)))
  }

  #node(at: number): NatsNode {
    const node = this.#nodes[at]
    if (node === undefined) throw new Error(`there is no server ${at}`)
    return node
  }
}

const MOST_OUTPUT = 20_000
