import { errors, type NatsConnection } from '@nats-io/transport-node'
import { FleetError, toFleetError } from '../errors.ts'
import { parseObject } from '../parseObject.ts'
import { connectFleet, type FleetConnectionOptions, isTooOld, OLDEST_SERVER } from './natsConnection.ts'

/** A server of NATS as it tells the system account (`$SYS.REQ.SERVER.PING.JSZ`). */
export interface NatsServerState {
  readonly name: string
  readonly version: string
  readonly isTooOld: boolean
  /** Whether JetStream runs on it. */
  readonly hasJetStream: boolean
  /** Whether it writes to disk before it acknowledges (`sync_interval: always`); null without JetStream. */
  readonly syncsAlways: boolean | null
  /** Used and reserved on its disk, bytes. */
  readonly storage: number
  readonly reserved: number
}

const PING_SUBJECT = '$SYS.REQ.SERVER.PING.JSZ'
/** Milliseconds for all answers, and without any more. */
const LONGEST_WAIT = 3000
const SILENCE = 500
const MOST_SERVERS = 1024
const LARGEST_STATE = 1_048_576

/**
 * Asks all servers of NATS how they are set up.
 * @param system `user:password` of the system account
 * @throws FleetError `NotAuthorized` for a user that is none of the system account, and as {@link connectFleet}
 */
export async function readServers(
  options: FleetConnectionOptions,
  system: string,
): Promise<readonly NatsServerState[]> {
  const colon = system.indexOf(':')
  const user = colon < 0 ? system : system.slice(0, colon)
  const password = colon < 0 ? '' : system.slice(colon + 1)
  const connection = await connectFleet({ ...options, user, password, credentials: null })
  try {
    return await ask(connection.nats)
  } catch (error) {
    if (error instanceof errors.NoRespondersError) throw noSystemUser()
    throw toFleetError(error, 'the servers of NATS cannot be asked with --fleet-system')
  } finally {
    await connection.close()
  }
}

/** What of the servers must not be; empty when all is well. */
export function serverProblems(servers: readonly NatsServerState[]): readonly string[] {
  const old = servers
    .filter((server) => server.isTooOld)
    .map(
      ({ name, version }) =>
        `${name} has version ${version}; a fleet needs ${OLDEST_SERVER} or newer: upgrade it`,
    )
  const late = servers
    .filter(({ syncsAlways }) => syncsAlways === false)
    .map(
      ({ name }) =>
        `${name} acknowledges before it writes to disk: set \`sync_interval: always\` in its block \`jetstream\``,
    )
  return [...old, ...late]
}

async function ask(nats: NatsConnection): Promise<readonly NatsServerState[]> {
  const answers = await nats.requestMany(PING_SUBJECT, '{}', {
    strategy: 'stall',
    maxWait: LONGEST_WAIT,
    stall: SILENCE,
    maxMessages: MOST_SERVERS,
  })
  const servers: NatsServerState[] = []
  for await (const { data } of answers) {
    const server = parseServer(data)
    if (server !== null) servers.push(server)
  }
  if (servers.length === 0) throw noSystemUser()
  return servers.sort((one, other) => one.name.localeCompare(other.name))
}

function noSystemUser(): FleetError {
  const text = 'no server answers: the user of --fleet-system has to be one of the system account'
  return new FleetError('NotAuthorized', text)
}

function parseServer(bytes: Uint8Array): NatsServerState | null {
  const answer = parseObject(bytes, LARGEST_STATE)
  const server = objectOf(answer?.['server'])
  const data = objectOf(answer?.['data'])
  const config = objectOf(data['config'])
  const { name, ver } = server
  if (typeof name !== 'string' || typeof ver !== 'string') return null
  // A server without JetStream says so, or has no store.
  const hasJetStream = data['disabled'] !== true && typeof config['store_dir'] === 'string'
  return {
    name: name.slice(0, 128),
    version: ver.slice(0, 32),
    isTooOld: isTooOld(ver),
    hasJetStream,
    syncsAlways: hasJetStream ? config['sync_always'] === true : null,
    storage: numberOf(data['storage']),
    reserved: numberOf(data['reserved_storage']),
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
