import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager, StorageType } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { freePort } from './nodeProcess.ts'

/** What the user of fleets is called in the servers that are started here. */
export const NATS_USER = { user: 'fleet', password: 'fleet' } as const
/** The user of the system account, as `--fleet-system` has it. */
export const NATS_SYSTEM = 'system:system'

const READY_POLL_MS = 50
const READY_POLLS = 1200

/** Where a server is reached, and where it runs. */
export interface NatsHost {
  /** What it runs under, such as `ip netns exec …`. */
  readonly under: readonly string[]
  readonly address: string
}

export interface NatsServerOptions {
  /** Folder of configuration and data; one for each server is made in it. */
  readonly folder: string
  /** One per server; on this machine unless given. */
  readonly hosts?: readonly NatsHost[]
  /** Without it servers acknowledge up to two minutes before they write to disk. */
  readonly syncAlways?: boolean
  /** Largest message, bytes. */
  readonly maxPayload?: number
  /** More lines of the configuration. */
  readonly lines?: readonly string[]
}

/** The path of nats-server: that of the variable NATS_SERVER, or one in PATH; null when there is none. */
export function findNatsServer(): string | null {
  const named = process.env['NATS_SERVER']
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'nats-server'))
  return [...(named === undefined ? [] : [named]), ...paths].find((path) => existsSync(path)) ?? null
}

/** Why tests that need nats-server are left out; CI must not leave them out. */
export const NATS_SKIP =
  findNatsServer() === null && process.env['CI'] !== 'true'
    ? 'no nats-server on this machine: put it in PATH or set NATS_SERVER to its path'
    : false

/** A nats-server as a process of its own, with JetStream on disk and a system account. */
export class NatsServer {
  readonly name: string
  readonly url: string
  readonly #config: string
  readonly #log: string
  readonly #under: readonly string[]
  #process: ChildProcess | null = null

  constructor(name: string, url: string, config: string, log: string, under: readonly string[]) {
    this.name = name
    this.url = url
    this.#config = config
    this.#log = log
    this.#under = under
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }

  /** Everything that the server has logged. */
  log(): string {
    return existsSync(this.#log) ? readFileSync(this.#log, 'utf8') : ''
  }

  /** Starts the process; `untilReady` of its cluster waits for it. */
  start(): void {
    const path = findNatsServer()
    if (path === null) throw new Error('no nats-server found: put it in PATH or set NATS_SERVER to its path')
    const [program = '', ...args] = [...this.#under, path, '-c', this.#config]
    this.#process = spawn(program, args, { stdio: 'ignore' })
  }

  /** Lets it end by itself. */
  stop(): Promise<void> {
    return this.#end('SIGTERM')
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  /** It stands still from now on. */
  pause(): void {
    this.#process?.kill('SIGSTOP')
  }

  resume(): void {
    this.#process?.kill('SIGCONT')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    this.#process = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill(signal)
    await ended
  }
}

/** Servers that belong together; one alone is no cluster. */
export class NatsCluster {
  readonly servers: readonly NatsServer[]

  constructor(servers: readonly NatsServer[]) {
    this.servers = servers
  }

  get urls(): readonly string[] {
    return this.servers.map(({ url }) => url)
  }

  /** Starts those that do not run, and waits until all of them have JetStream with a leader. */
  async start(): Promise<void> {
    for (const server of this.servers) if (server.pid === 0) server.start()
    await this.untilReady()
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()))
  }

  async kill(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.kill()))
  }

  /** @throws Error with the logs when that takes too long */
  async untilReady(): Promise<void> {
    for (let poll = 0; poll < READY_POLLS; poll += 1) {
      const ready = await Promise.all(this.servers.map((server) => isReady(server.url, this.servers.length)))
      if (ready.every(Boolean)) return
      await sleep(READY_POLL_MS)
    }
    throw new Error(`NATS is not ready:\n${this.servers.map((server) => server.log()).join('\n')}`)
  }
}

/** Starts one server. */
export async function startNatsServer(options: NatsServerOptions): Promise<NatsCluster> {
  return startNatsCluster(1, options)
}

/** Starts servers with routes to one another. */
export async function startNatsCluster(count: number, options: NatsServerOptions): Promise<NatsCluster> {
  const hosts = await Promise.all(
    Array.from({ length: count }, async (_, index) => ({
      name: `nats-${index + 1}`,
      address: options.hosts?.[index]?.address ?? '127.0.0.1',
      under: options.hosts?.[index]?.under ?? [],
      port: await freePort(),
      routePort: await freePort(),
    })),
  )
  const routes = hosts.map(({ address, routePort }) => `nats-route://${address}:${routePort}`)
  const servers = hosts.map(({ name, address, under, port, routePort }) => {
    const folder = join(options.folder, name)
    mkdirSync(folder, { recursive: true })
    const cluster =
      count === 1
        ? []
        : [`cluster { name: fleet, listen: "${address}:${routePort}", routes: [${routes.join(', ')}] }`]
    const [systemUser, systemPassword] = NATS_SYSTEM.split(':')
    const lines = [
      `server_name: ${name}`,
      `listen: "${address}:${port}"`,
      `log_file: "${join(folder, 'log')}"`,
      `jetstream { store_dir: "${folder}"${options.syncAlways === false ? '' : ', sync_interval: always'} }`,
      'accounts {',
      `  FLEET { jetstream: enabled, users: [{ user: ${NATS_USER.user}, password: ${NATS_USER.password} }] }`,
      `  SYSTEM { users: [{ user: ${systemUser}, password: ${systemPassword} }] }`,
      '}',
      'system_account: SYSTEM',
      ...(options.maxPayload === undefined ? [] : [`max_payload: ${options.maxPayload}`]),
      ...cluster,
      ...(options.lines ?? []),
    ]
    const config = join(folder, 'nats.conf')
    writeFileSync(config, `${lines.join('\n')}\n`)
    return new NatsServer(name, `nats://${address}:${port}`, config, join(folder, 'log'), under)
  })
  const started = new NatsCluster(servers)
  // Nothing may be left when a test ends before its teardown.
  process.once('exit', () => {
    for (const server of servers) void server.kill()
  })
  await started.start()
  await untilPlaced(started)
  return started
}

/** A leader takes servers for offline before it has heard of what they carry: no stream is placed on them by then. */
async function untilPlaced({ urls }: NatsCluster): Promise<void> {
  const nats = await connect({ servers: [...urls], user: NATS_USER.user, pass: NATS_USER.password })
  try {
    const { streams } = await jetstreamManager(nats)
    for (let poll = 1; ; poll += 1) {
      try {
        await streams.add({ ...PROBE, num_replicas: urls.length })
        await streams.delete(PROBE.name)
        return
      } catch (error) {
        if (poll === READY_POLLS) throw error
        await sleep(READY_POLL_MS)
      }
    }
  } finally {
    await nats.close()
  }
}

const PROBE = { name: 'probe', subjects: ['probe'], storage: StorageType.Memory, max_bytes: 1024 }

/** Whether a server knows a leader of JetStream, and that one all others. */
async function isReady(url: string, count: number): Promise<boolean> {
  const [user = '', pass = ''] = NATS_SYSTEM.split(':')
  let connection: NatsConnection | undefined
  try {
    connection = await connect({
      servers: url,
      user,
      pass,
      reconnect: false,
      timeout: 2000,
      ignoreClusterUpdates: true,
    })
    const id = connection.info?.server_id ?? ''
    const answer = await connection.request(`$SYS.REQ.SERVER.${id}.JSZ`, '{}', { timeout: 2000 })
    const { data } = answer.json<{ data?: { meta_cluster?: MetaCluster } }>()
    if (count === 1) return data !== undefined
    const meta = data?.meta_cluster
    if (meta?.leader === undefined || meta.leader === '') return false
    if (meta.leader !== connection.info?.server_name) return true
    return meta.replicas?.filter(({ current }) => current).length === count - 1
  } catch {
    return false
  } finally {
    await connection?.close()
  }
}

interface MetaCluster {
  readonly leader?: string
  readonly replicas?: readonly { readonly current: boolean }[]
}
