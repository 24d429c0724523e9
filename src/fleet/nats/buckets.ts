import {
  JetStreamApiError,
  type JetStreamClient,
  jetstreamManager,
  type StreamInfo,
} from '@nats-io/jetstream'
import { type KV, Kvm, type KvOptions } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { BUCKET_DAYS } from '../access/messages.ts'
import { delay } from '../delay.ts'
import { toFleetError } from '../errors.ts'
import type { FleetNames } from './names.ts'

/** Most servers that keep a bucket. */
export const MAX_REPLICAS = 3

const MEBIBYTE = 1_048_576
const DAY = 86_400_000
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

/**
 * Creates the buckets that a fleet lacks in NATS, and changes nothing that is there.
 * @param replicas null for as many as the cluster has servers, at most three
 * @returns names of those that it made
 * @throws FleetError `NoJetStream`, `NoRoom`, `TooFewServers`, `NotAuthorized`, `Timeout`
 */
export async function initFleet(
  connection: NatsConnection,
  { keys, counters }: FleetNames,
  replicas: number | null,
): Promise<readonly string[]> {
  const common = { history: 1, replicas: replicas ?? defaultReplicas(connection), timeout: TIMEOUT }
  const plans = [
    { name: keys, options: { ...common, max_bytes: KEYS_BYTES } },
    { name: counters, options: { ...common, max_bytes: COUNTERS_BYTES, ttl: BUCKET_DAYS * DAY } },
  ]
  const created: string[] = []
  for (const { name, options } of plans) {
    if ((await findStream(connection, `KV_${name}`)) !== null) continue
    await createBucket(new Kvm(connection), name, options)
    created.push(name)
  }
  return created
}

/**
 * The state of a stream, as that of the bucket `x` is, `KV_x`; null for one that is missing.
 * @throws FleetError `NoJetStream`, `NotAuthorized`, `Timeout`
 */
export async function findStream(connection: NatsConnection, name: string): Promise<StreamInfo | null> {
  try {
    return await (await jetstreamManager(connection, { timeout: TIMEOUT })).streams.info(name)
  } catch (error) {
    const failure = toFleetError(error, `the stream ${name} cannot be looked at`)
    if (failure.code === 'NotCreated') return null
    throw failure
  }
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

async function createBucket(kvm: Kvm, name: string, options: Partial<KvOptions>): Promise<void> {
  const until = performance.now() + PLACEMENT_TIME
  for (;;) {
    try {
      await kvm.create(name, options)
      return
    } catch (error) {
      const failure = toFleetError(error, `the bucket ${name} cannot be created`)
      if (!STARTING.test(failure.message) || performance.now() > until) throw failure
      await delay(PLACEMENT_PAUSE)
    }
  }
}

/** Servers of a cluster give clients the addresses of all. */
function defaultReplicas({ info }: NatsConnection): number {
  if (info?.cluster === undefined) return 1
  return Math.max(1, Math.min(MAX_REPLICAS, info.connect_urls?.length ?? MAX_REPLICAS))
}
