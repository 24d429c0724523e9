import {
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { FleetError, toFleetError } from '../errors.ts'
import { parseObject } from '../parseObject.ts'
import { compareAndSet } from './compareAndSet.ts'
import { type FleetNames, STATE_KEYS } from './names.ts'
import {
  compareResource,
  DEFAULT_BYTES,
  FLEET_FORMAT,
  type FleetFormat,
  fleetResources,
  MOST_REPLICAS,
  RESOURCE_PARTS,
  type Resource,
  type ResourceDifference,
  type ResourcePart,
} from './resources.ts'

/** Milliseconds for an answer of JetStream. */
const TIMEOUT = 10_000
const LARGEST_FORMAT = 4096
/** Servers that have just started count as offline for some seconds, milliseconds. */
const PLACEMENT_TIME = 10_000
const PLACEMENT_PAUSE = 500
const STARTING = /peer offline/
const STREAM_NOT_FOUND = 'NotCreated'

/** What was asked of `fleet init` beside its defaults. */
export interface FleetChoices {
  /** Null for as many as the cluster has servers, at most three. */
  readonly replicas: number | null
  readonly bytes: Readonly<Partial<Record<ResourcePart, number>>>
}

/** What `fleet init` did. */
export interface FleetInitReport {
  readonly format: FleetFormat
  /** Streams that it made. */
  readonly created: readonly string[]
  /** What was there already and is otherwise than asked for: nothing of it was changed. */
  readonly differences: readonly ResourceDifference[]
}

/** A stream as it is. */
export interface ResourceState {
  readonly resource: Resource
  /** Null when it is missing. */
  readonly info: StreamInfo | null
  readonly differences: readonly ResourceDifference[]
}

/**
 * Creates what a fleet lacks in NATS, and changes nothing that is there.
 * @throws FleetError `NoJetStream`, `NoRoom`, `TooFewServers`, `NotAuthorized`, `Timeout`
 */
export async function initFleet(
  connection: NatsConnection,
  names: FleetNames,
  choices: FleetChoices,
): Promise<FleetInitReport> {
  const manager = await openManager(connection)
  const format: FleetFormat = {
    format: FLEET_FORMAT,
    replicas: choices.replicas ?? defaultReplicas(connection),
    bytes: { ...DEFAULT_BYTES, ...choices.bytes },
  }
  const created: string[] = []
  const differences: ResourceDifference[] = []
  for (const resource of fleetResources(names, format)) {
    const found = await findStream(manager, resource.config.name)
    if (found !== null) {
      differences.push(...compareResource(resource, found.config))
      continue
    }
    await createStream(manager, resource)
    created.push(resource.config.name)
  }
  const bucket = await openBucket(connection, names.state)
  // What others may have decided at the same time stays.
  const value = JSON.stringify(format)
  await compareAndSet(bucket, STATE_KEYS.format, value, 0, TIMEOUT).catch((error: unknown) => {
    throw toFleetError(error, 'the format of the fleet cannot be written')
  })
  return { format, created, differences }
}

/**
 * What `fleet init` decided.
 * @throws FleetError `NotCreated` when it has not run, `Malformed` when a newer program has
 */
export async function readFleetFormat(connection: NatsConnection, names: FleetNames): Promise<FleetFormat> {
  const missing = `the fleet ${names.fleet} does not exist: run \`rhizome fleet init\` once`
  try {
    const bucket = await openBucket(connection, names.state)
    const entry = await bucket.get(STATE_KEYS.format)
    if (entry === null) throw new FleetError('NotCreated', missing)
    return parseFormat(entry.value)
  } catch (error) {
    const failure = toFleetError(error, 'the format of the fleet cannot be read')
    throw failure.code === 'NotCreated' ? new FleetError('NotCreated', missing, { cause: error }) : failure
  }
}

/**
 * Compares all that a fleet has with what it should have: at the start of a member, and for `fleet status`.
 * @throws FleetError `NotCreated`, `NoJetStream`, `NotAuthorized`, `Timeout`, `Malformed`
 */
export async function readResources(
  connection: NatsConnection,
  names: FleetNames,
): Promise<readonly ResourceState[]> {
  const format = await readFleetFormat(connection, names)
  const manager = await openManager(connection)
  const states: ResourceState[] = []
  for (const resource of fleetResources(names, format)) {
    const info = await findStream(manager, resource.config.name)
    states.push({ resource, info, differences: differencesOf(resource, info) })
  }
  return states
}

/** @throws FleetError `Differs` with all that is not as it should be, and as {@link readResources} */
export async function checkResources(connection: NatsConnection, names: FleetNames): Promise<void> {
  const states = await readResources(connection, names)
  const differences = states.flatMap((state) => state.differences)
  if (differences.length === 0) return
  const list = differences.map(describeDifference).join('; ')
  throw new FleetError('Differs', `streams of the fleet are not as they should be: ${list}`)
}

/** One difference as a clause. */
export function describeDifference({ stream, property, expected, found }: ResourceDifference): string {
  if (property === null) return `${stream} is missing: run \`rhizome fleet init\``
  return `${stream} has ${property} ${found} in place of ${expected}`
}

/** A bucket of the fleet for a command, which waits long for an answer. */
export async function openBucket(connection: NatsConnection, name: string): Promise<KV> {
  return bucketOf(jetstream(connection, { timeout: TIMEOUT }), name)
}

/**
 * A bucket of the fleet: what it reads comes from the leader of its stream.
 * @param client its timeout is that of the bucket: a stream whose leader is gone answers nothing
 */
export async function bucketOf(client: JetStreamClient, name: string): Promise<KV> {
  return new Kvm(client).open(name, { allow_direct: false })
}

async function openManager(connection: NatsConnection): Promise<JetStreamManager> {
  try {
    return await jetstreamManager(connection, { timeout: TIMEOUT })
  } catch (error) {
    throw toFleetError(error, 'JetStream cannot be used')
  }
}

async function findStream(manager: JetStreamManager, name: string): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(name)
  } catch (error) {
    const failure = toFleetError(error, `the stream ${name} cannot be looked at`)
    if (failure.code === STREAM_NOT_FOUND) return null
    throw failure
  }
}

async function createStream(manager: JetStreamManager, { config }: Resource): Promise<void> {
  const until = performance.now() + PLACEMENT_TIME
  for (;;) {
    try {
      await manager.streams.add(config satisfies Partial<StreamConfig> as StreamConfig)
      return
    } catch (error) {
      const failure = toFleetError(error, `the stream ${config.name} cannot be created`)
      if (!STARTING.test(failure.message) || performance.now() > until) throw failure
      await new Promise((resolve) => setTimeout(resolve, PLACEMENT_PAUSE))
    }
  }
}

function differencesOf(resource: Resource, info: StreamInfo | null): readonly ResourceDifference[] {
  if (info !== null) return compareResource(resource, info.config)
  return [{ stream: resource.config.name, property: null, expected: 'there', found: 'missing' }]
}

/** Servers of a cluster tell clients the addresses of all. */
function defaultReplicas({ info }: NatsConnection): number {
  if (info?.cluster === undefined) return 1
  return Math.max(1, Math.min(MOST_REPLICAS, info.connect_urls?.length ?? MOST_REPLICAS))
}

function parseFormat(bytes: Uint8Array): FleetFormat {
  const { format, replicas, bytes: sizes } = parseObject(bytes, LARGEST_FORMAT) ?? {}
  if (format !== FLEET_FORMAT) {
    const isOlder = typeof format === 'number' && format < FLEET_FORMAT
    const advice = isOlder
      ? 'stop all members, remove the key format of the bucket of state, and run `rhizome fleet init`'
      : 'use the version that the other members have'
    const text = `the fleet has format ${String(format)}, and this program knows ${FLEET_FORMAT}: ${advice}`
    throw new FleetError('Malformed', text)
  }
  const given = (sizes ?? {}) as Readonly<Record<string, unknown>>
  const sized = RESOURCE_PARTS.map((part) => [part, given[part]] as const)
  const isWhole = sized.every(([, size]) => Number.isSafeInteger(size))
  if (!Number.isSafeInteger(replicas) || !isWhole) {
    throw new FleetError(
      'Malformed',
      'the format of the fleet does not parse: see its key in the bucket of state',
    )
  }
  return {
    format: FLEET_FORMAT,
    replicas: replicas as number,
    bytes: Object.fromEntries(sized) as Record<ResourcePart, number>,
  }
}
