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
} from '@nats-io/transport-node'
import { delay } from '../delay.ts'
import { FleetError, toFleetError } from '../errors.ts'

/** The oldest server that keeps in its buckets what it acknowledged. */
export const OLDEST_SERVER = '2.11.2'

/** Access of a member to NATS. */
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
  /** To be called every second: leaves a server that has not answered the time before. */
  ping(): void
  onEvent(listener: (event: FleetConnectionEvent) => void): void
  /** Sends what is waiting, for a second at most, and disconnects. */
  close(): Promise<void>
}

/** Bounds of the pause before a server is tried, milliseconds. */
const RETRY = { first: 20, longest: 1000 } as const
const CLOSE_TIME = 1000
const DEFAULT_MAX_PAYLOAD = 1_048_576

/**
 * Connects to one of the servers, and again whenever the connection is lost, until it is closed. Messages of this
 * connection do not come back to it (`noEcho`): a queue group never chooses the caller.
 * @throws FleetError `Unreachable`, `NotAuthorized`, `Tls`, `Unreadable`, `ServerTooOld` for the first connection
 */
export async function connectFleet(options: FleetConnectionOptions): Promise<FleetConnection> {
  const order = shuffled(options.servers)
  const pace = { attempts: 0 }
  const natsOptions = toNatsOptions(options, pace)
  const failures: FleetError[] = []
  for (const server of order) {
    try {
      await tryServer(server, natsOptions)
      const others = order.filter((other) => other !== server)
      // A server that has gone meanwhile is tried again, as later on.
      const nats = await connect({ ...natsOptions, servers: [server, ...others], waitOnFirstConnect: true })
      return new Connection(nats, pace)
    } catch (error) {
      failures.push(connectFailure(error, server, natsOptions.tls != null))
    }
  }
  const none = new FleetError('Unreachable', 'no NATS servers are given')
  throw failures.find(({ code }) => code !== 'Unreachable') ?? failures[0] ?? none
}

/** Attempts to reach a server since one was reached. */
interface Pace {
  attempts: number
}

class Connection implements FleetConnection {
  readonly nats: NatsConnection
  readonly #pace: Pace
  readonly #listeners = new Set<(event: FleetConnectionEvent) => void>()
  isConnected = false
  #isUnanswered = false

  constructor(nats: NatsConnection, pace: Pace) {
    this.nats = nats
    this.#pace = pace
    this.#reconnected(nats.getServer())
    void this.#follow()
  }

  get maxPayload(): number {
    return this.nats.info?.max_payload ?? DEFAULT_MAX_PAYLOAD
  }

  /** In place of the pings of the client, which would wake the thread at times of their own. */
  ping(): void {
    if (!this.isConnected) return
    if (this.#isUnanswered) {
      // The answer may have come while this thread was busy: it is read before this runs.
      setImmediate(() => {
        if (this.#isUnanswered) void this.nats.reconnect()
      })
      return
    }
    this.#isUnanswered = true
    const answered = () => {
      this.#isUnanswered = false
    }
    this.nats.flush().then(answered, answered)
  }

  onEvent(listener: (event: FleetConnectionEvent) => void): void {
    this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    if (this.nats.isClosed()) return
    if (this.isConnected) await Promise.race([this.nats.flush().catch(() => undefined), delay(CLOSE_TIME)])
    this.isConnected = false
    await this.nats.close()
  }

  async #follow(): Promise<void> {
    for await (const status of this.nats.status()) {
      if (status.type === 'reconnect') this.#reconnected(status.server)
      if (status.type !== 'disconnect') continue
      this.isConnected = false
      this.#notify({ kind: 'disconnected', server: status.server })
    }
  }

  /** Messages that were waiting to be sent have gone to the server already when it turns out to be too old. */
  #reconnected(server: string): void {
    const version = versionOf(this.nats)
    if (isTooOld(version)) {
      this.#notify({ kind: 'refused', server, version })
      void this.nats.reconnect()
      return
    }
    this.#pace.attempts = 0
    this.isConnected = true
    this.#notify({ kind: 'connected', server, version })
  }

  #notify(event: FleetConnectionEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

function toNatsOptions(options: FleetConnectionOptions, pace: Pace): ConnectionOptions {
  const { user, password, name, timeout } = options
  const authenticator = credentialsOf(options)
  return {
    name,
    timeout,
    noEcho: true,
    // A request of each call would take a stack trace, which costs more than the rest of it.
    noAsyncTraces: true,
    // Servers announce one another's addresses, which in containers are often nobody else's.
    ignoreClusterUpdates: true,
    maxReconnectAttempts: -1,
    // A server that refuses a user now may let it in again when its configuration was reloaded.
    ignoreAuthErrorAbort: true,
    // The order is that of the first connection, and goes round.
    noRandomize: true,
    // Time since the last attempt at a server until the next one at the same.
    reconnectDelayHandler: () => {
      const longest = Math.min(RETRY.longest, RETRY.first * 2 ** Math.min(pace.attempts, 10))
      pace.attempts += 1
      return longest / 2 + Math.random() * (longest / 2)
    },
    ...(authenticator === null ? {} : { authenticator }),
    ...(user === null ? {} : { user, pass: password ?? '' }),
    ...tlsOf(options),
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
function isTooOld(version: string): boolean {
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
function tlsOf({ servers, ca, cert, key }: FleetConnectionOptions): Pick<ConnectionOptions, 'tls'> {
  const isDemanded = servers.some((server) => server.startsWith('tls://'))
  if (!isDemanded && ca === null && cert === null) return {}
  const files = { '--fleet-ca': ca, '--fleet-cert': cert, '--fleet-key': key }
  for (const [flag, path] of Object.entries(files)) if (path !== null) readNamed(path, flag)
  // An empty path is none.
  return { tls: { ...identityCheck(servers), caFile: ca ?? '', certFile: cert ?? '', keyFile: key ?? '' } }
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
