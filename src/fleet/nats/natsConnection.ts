import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import {
  type Authenticator,
  type ConnectionOptions,
  compare,
  connect,
  credsAuthenticator,
  type NatsConnection,
  parseSemVer,
  type TlsOptions,
} from '@nats-io/transport-node'
import { FleetError, toFleetError } from '../errors.ts'

/** The oldest server that keeps in its buckets what it acknowledged. */
export const OLDEST_SERVER = '2.11.2'

/** How a member reaches NATS. */
export interface FleetConnectionOptions {
  /** `nats://host:port` or `tls://host:port`. */
  readonly servers: readonly string[]
  readonly user: string | null
  readonly password: string | null
  /** Path of a `.creds` file. */
  readonly credentials: string | null
  /** Paths of PEM files. */
  readonly ca: string | null
  readonly cert: string | null
  readonly key: string | null
  /** Name of the connection in the monitoring of NATS. */
  readonly name: string
  /** Milliseconds for which a server may take to answer when it is connected to. */
  readonly timeout: number
}

/** An event of the connection. */
export type FleetConnectionEvent =
  | { readonly kind: 'connected'; readonly server: string; readonly version: string }
  | { readonly kind: 'disconnected'; readonly server: string }
  /** A server is too old and is not used. */
  | { readonly kind: 'refused'; readonly server: string; readonly version: string }

/** The connection of a member to NATS. */
export interface FleetConnection {
  readonly nats: NatsConnection
  /** False while it looks for a server. */
  readonly isConnected: boolean
  /** Largest message of the server with its headers, bytes. */
  readonly maxPayload: number
  /** To be called every half second: leaves a server that has not answered for two of them. */
  ping(): void
  /** @returns ends the notices */
  onEvent(listener: (event: FleetConnectionEvent) => void): () => void
  /** Sends what is waiting, for a second at most, and disconnects. */
  close(): Promise<void>
}

/** Bounds of the pause before a server is tried, milliseconds. */
const RETRY = { first: 20, longest: 1000 } as const
/** A server is left when it has not answered for so many pings. */
const MAX_UNANSWERED = 2
const CLOSE_TIME = 1000
const DEFAULT_MAX_PAYLOAD = 1_048_576

/**
 * Connects to one of the servers, and again whenever the connection is lost, until it is closed. Messages of this
 * connection do not come back to it (`noEcho`): a queue group never chooses the caller.
 * @throws FleetError `Unreachable`, `NotAuthorized`, `Tls`, `Unreadable`, `ServerTooOld` for the first connection
 */
export async function connectFleet(options: FleetConnectionOptions): Promise<FleetConnection> {
  const connection = new Connection(options)
  await connection.connect()
  return connection
}

class Connection implements FleetConnection {
  readonly #options: FleetConnectionOptions
  readonly #listeners = new Set<(event: FleetConnectionEvent) => void>()
  #nats: NatsConnection | null = null
  isConnected = false
  #attempts = 0
  #unanswered = 0

  constructor(options: FleetConnectionOptions) {
    this.#options = options
  }

  get nats(): NatsConnection {
    if (this.#nats === null) throw new FleetError('Closed', 'not connected to NATS yet')
    return this.#nats
  }

  get maxPayload(): number {
    return this.#nats?.info?.max_payload ?? DEFAULT_MAX_PAYLOAD
  }

  async connect(): Promise<void> {
    const order = shuffled(this.#options.servers)
    const options = this.#toOptions()
    const failures: FleetError[] = []
    for (const server of order) {
      try {
        await tryServer(server, options)
        const others = order.filter((other) => other !== server)
        // A server that has gone meanwhile is tried again, as later on.
        const nats = await connect({ ...options, servers: [server, ...others], waitOnFirstConnect: true })
        this.#nats = nats
        void this.#follow(nats)
        await this.#reconnected(nats, nats.getServer())
        return
      } catch (error) {
        failures.push(connectFailure(error, server, options.tls !== undefined))
      }
    }
    throw (
      failures.find(({ code }) => code !== 'Unreachable') ??
      failures[0] ??
      new FleetError('Unreachable', 'no NATS servers are given')
    )
  }

  /** In place of the pings of the client, which would wake the thread at times of their own. */
  ping(): void {
    if (!this.isConnected) return
    if (this.#unanswered === MAX_UNANSWERED) {
      this.#unanswered = 0
      void this.nats.reconnect()
      return
    }
    this.#unanswered += 1
    if (this.#unanswered > 1) return
    const answered = () => {
      this.#unanswered = 0
    }
    this.nats.flush().then(answered, answered)
  }

  onEvent(listener: (event: FleetConnectionEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    const nats = this.nats
    if (nats.isClosed()) return
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_TIME)
    })
    if (this.isConnected) await Promise.race([nats.flush().catch(() => undefined), late])
    clearTimeout(timer)
    this.isConnected = false
    await nats.close()
  }

  async #follow(nats: NatsConnection): Promise<void> {
    for await (const status of nats.status()) {
      if (status.type === 'reconnect') await this.#reconnected(nats, status.server)
      if (status.type !== 'disconnect') continue
      this.isConnected = false
      this.#tell({ kind: 'disconnected', server: status.server })
    }
  }

  /** Messages that were waiting to be sent have gone to the server already when it turns out to be too old. */
  async #reconnected(nats: NatsConnection, server: string): Promise<void> {
    const version = versionOf(nats)
    if (isTooOld(version)) {
      this.#tell({ kind: 'refused', server, version })
      await nats.reconnect()
      return
    }
    this.#attempts = 0
    this.isConnected = true
    this.#tell({ kind: 'connected', server, version })
  }

  #tell(event: FleetConnectionEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  #toOptions(): ConnectionOptions {
    const { user, password, name } = this.#options
    const authenticator = credentialsOf(this.#options)
    const tls = tlsOf(this.#options)
    return {
      name,
      noEcho: true,
      // A request of each call would take a stack trace, which costs more than the rest of it.
      noAsyncTraces: true,
      // Servers tell one another's addresses, which in containers are often nobody else's.
      ignoreClusterUpdates: true,
      maxReconnectAttempts: -1,
      // A server that refuses a user now may let it in again when its configuration was reloaded.
      ignoreAuthErrorAbort: true,
      // The order is that of the first connection, and goes round.
      noRandomize: true,
      reconnectDelayHandler: () => this.#pause(),
      timeout: this.#options.timeout,
      ...(authenticator === null ? {} : { authenticator }),
      ...(user === null ? {} : { user, pass: password ?? '' }),
      ...(tls === null ? {} : { tls }),
    }
  }

  /** Time since the last attempt at a server until the next one at the same. */
  #pause(): number {
    const longest = Math.min(RETRY.longest, RETRY.first * 2 ** Math.min(this.#attempts, 10))
    this.#attempts += 1
    return longest / 2 + Math.random() * (longest / 2)
  }
}

/**
 * Connects to one server and disconnects again: among several the client tries one after the other, and for ever, and
 * the error of none is known.
 * @throws FleetError `ServerTooOld`; errors of the client
 */
async function tryServer(server: string, options: ConnectionOptions): Promise<void> {
  const nats = await connect({ ...options, servers: [server] })
  const version = versionOf(nats)
  await nats.close()
  if (!isTooOld(version)) return
  const has = `the NATS server ${server} has version ${version}`
  const advice = 'because older ones lose what they acknowledged: upgrade it'
  throw new FleetError('ServerTooOld', `${has}; a fleet needs ${OLDEST_SERVER} or newer, ${advice}`)
}

/** With TLS 1.3 a server that refuses the certificate of a client looks like one that says nothing. */
function connectFailure(error: unknown, server: string, withTls: boolean): FleetError {
  const failure = toFleetError(error, `NATS cannot be reached at ${server}`)
  if (failure.code !== 'Timeout') return failure
  const certificate = withTls ? ', or refuses the certificate of --fleet-cert' : ''
  return new FleetError('Timeout', `the NATS server ${server} does not answer${certificate}`, {
    cause: error,
  })
}

function shuffled(servers: readonly string[]): readonly string[] {
  const order = servers.map((server) => ({ server, at: Math.random() }))
  return order.sort((one, other) => one.at - other.at).map(({ server }) => server)
}

function versionOf(nats: NatsConnection): string {
  return nats.info?.version ?? 'unknown'
}

/** True when a server is older than {@link OLDEST_SERVER}, or does not say how old it is. */
export function isTooOld(version: string): boolean {
  try {
    return compare(parseSemVer(version), parseSemVer(OLDEST_SERVER)) < 0
  } catch {
    return true
  }
}

/** Reads the file at each connection, so that new credentials count without a restart. */
function credentialsOf({ credentials }: FleetConnectionOptions): Authenticator | null {
  if (credentials === null) return null
  let last = readNamed(credentials, '--fleet-credentials')
  return credsAuthenticator(() => {
    try {
      last = readFileSync(credentials)
    } catch {
      // What was read before is as good as no file.
    }
    return last
  })
}

function readNamed(path: string, flag: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new FleetError('Unreadable', `${flag}: ${path} cannot be read: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** With any of these TLS is demanded: the client would go on in clear text otherwise. */
function tlsOf({ servers, ca, cert, key }: FleetConnectionOptions): TlsOptions | null {
  const isDemanded = servers.some((server) => server.startsWith('tls://'))
  if (!isDemanded && ca === null && cert === null) return null
  if (ca !== null) readNamed(ca, '--fleet-ca')
  if (cert !== null) readNamed(cert, '--fleet-cert')
  if (key !== null) readNamed(key, '--fleet-key')
  return {
    ...identityCheck(servers),
    ...(ca === null ? {} : { caFile: ca }),
    ...(cert === null ? {} : { certFile: cert }),
    ...(key === null ? {} : { keyFile: key }),
  }
}

/**
 * How the certificate of a server is compared with its address. The client has Node check `localhost` in place of an
 * address that is no name: then the certificate has to be for one of the addresses that were given.
 */
function identityCheck(servers: readonly string[]) {
  const addresses = servers
    .map((server) => new URL(server).hostname.replace(/^\[(.*)\]$/, '$1'))
    .filter((host) => isIP(host) !== 0)
  return {
    checkServerIdentity: (host: string, certificate: PeerCertificate): Error | undefined => {
      const error = checkServerIdentity(host, certificate)
      const [first = host] = addresses
      if (error === undefined || host !== 'localhost') return error
      const isOneOfThem = addresses.some((address) => checkServerIdentity(address, certificate) === undefined)
      return isOneOfThem ? undefined : checkServerIdentity(first, certificate)
    },
  }
}
