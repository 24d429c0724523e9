import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
  type StreamInfo,
} from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { toFleetError } from '../errors.ts'
import type { FleetNames } from './names.ts'

/** Most servers that keep a bucket. */
export const MAX_REPLICAS = 3

const MEBIBYTE = 1_048_576
/** Largest size of each bucket on the disk of a server, bytes: JetStream reserves it. */
const KEYS_BYTES = 64 * MEBIBYTE
const COUNTERS_BYTES = 512 * MEBIBYTE
/** Milliseconds for an answer of JetStream. */
const TIMEOUT = 10_000
/** Servers that have just started count as offline for some seconds, milliseconds. */
const PLACEMENT_TIME = 10_000
const PLACEMENT_PAUSE = 500
const STARTING = /peer offline/
/** Codes of JetStream for a record that has another revision. */
const CONFLICTS: readonly number[] = [10071, 10164]

/** A bucket as it should be. */
interface BucketPlan {
  readonly name: string
  readonly bytes: number
}

/** A bucket as it is. */
export interface BucketState {
  readonly name: string
  /** Null when it is missing. */
  readonly info: StreamInfo | null
}

/**
 * Creates the buckets that a fleet lacks in NATS, and changes nothing that is there.
 * @param replicas null for as many as the cluster has servers, at most three
 * @returns names of those that it made
 * @throws FleetError `NoJetStream`, `NoRoom`, `TooFewServers`, `NotAuthorized`, `Timeout`
 */
export async function initFleet(
  connection: NatsConnection,
  names: FleetNames,
  replicas: number | null,
): Promise<readonly string[]> {
  const manager = await openManager(connection)
  const kvm = new Kvm(connection)
  const created: string[] = []
  for (const { name, bytes } of plansOf(names)) {
    if ((await findBucket(manager, name)) !== null) continue
    await createBucket(kvm, { name, bytes }, replicas ?? defaultReplicas(connection))
    created.push(name)
  }
  return created
}

/** The buckets of a fleet. @throws FleetError `NoJetStream`, `NotAuthorized`, `Timeout` */
export async function readBuckets(
  connection: NatsConnection,
  names: FleetNames,
): Promise<readonly BucketState[]> {
  const manager = await openManager(connection)
  const states: BucketState[] = []
  for (const { name } of plansOf(names)) states.push({ name, info: await findBucket(manager, name) })
  return states
}

/**
 * A bucket of the fleet; what it reads comes from the leader of its stream.
 * @throws FleetError `NotCreated` before `fleet init`
 */
export async function openBucket(client: JetStreamClient, name: string): Promise<KV> {
  try {
    const bucket = await new Kvm(client).open(name, { allow_direct: false })
    await bucket.status()
    return bucket
  } catch (error) {
    throw toFleetError(error, `the bucket ${name} cannot be used`)
  }
}

/**
 * Writes a record when its revision is still the one that was seen.
 * @param revision 0 for one that was never there
 * @returns its new revision; null when another one was there
 * @throws what the client throws when the outcome is unknown
 */
export async function compareAndSet(
  bucket: KV,
  name: string,
  value: Uint8Array,
  revision: number,
): Promise<number | null> {
  try {
    return await bucket.put(name, value, { previousSeq: revision, timeout: TIMEOUT })
  } catch (error) {
    if (error instanceof JetStreamApiError && CONFLICTS.includes(error.code)) return null
    throw error
  }
}

/** Removes the records of a bucket with such names. @param names with wildcards @throws FleetError */
export async function removeRecords(
  connection: NatsConnection,
  bucket: string,
  names: string,
): Promise<void> {
  const manager = await openManager(connection)
  try {
    await manager.streams.purge(`KV_${bucket}`, { filter: `$KV.${bucket}.${names}` })
  } catch (error) {
    throw toFleetError(error, `old records of the bucket ${bucket} are not removed`)
  }
}

function plansOf(names: FleetNames): readonly BucketPlan[] {
  return [
    { name: names.keys, bytes: KEYS_BYTES },
    { name: names.counters, bytes: COUNTERS_BYTES },
  ]
}

async function openManager(connection: NatsConnection): Promise<JetStreamManager> {
  try {
    return await jetstreamManager(connection, { timeout: TIMEOUT })
  } catch (error) {
    throw toFleetError(error, 'JetStream cannot be used')
  }
}

async function findBucket(manager: JetStreamManager, name: string): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(`KV_${name}`)
  } catch (error) {
    const failure = toFleetError(error, `the bucket ${name} cannot be looked at`)
    if (failure.code === 'NotCreated') return null
    throw failure
  }
}

async function createBucket(kvm: Kvm, { name, bytes }: BucketPlan, replicas: number): Promise<void> {
  const until = performance.now() + PLACEMENT_TIME
  for (;;) {
    try {
      await kvm.create(name, { history: 1, replicas, max_bytes: bytes, timeout: TIMEOUT })
      return
    } catch (error) {
      const failure = toFleetError(error, `the bucket ${name} cannot be created`)
      if (!STARTING.test(failure.message) || performance.now() > until) throw failure
      await new Promise((resolve) => setTimeout(resolve, PLACEMENT_PAUSE))
    }
  }
}

/** Servers of a cluster tell clients the addresses of all. */
function defaultReplicas({ info }: NatsConnection): number {
  if (info?.cluster === undefined) return 1
  return Math.max(1, Math.min(MAX_REPLICAS, info.connect_urls?.length ?? MAX_REPLICAS))
}
