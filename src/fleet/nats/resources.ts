import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { bucketStream, type FleetNames, objectStream } from './names.ts'

/** Parts of a fleet in NATS, in the order in which they are made (fleet.md §1). */
export const RESOURCE_PARTS = [
  'log',
  'blocks',
  'usage',
  'work',
  'members',
  'state',
  'keys',
  'quota',
  'snapshots',
] as const

export type ResourcePart = (typeof RESOURCE_PARTS)[number]

const MEBIBYTE = 1_048_576

/**
 * Largest size of each part on the disk of a server, bytes: JetStream reserves it. A member that is behind what a stream
 * keeps asks other members.
 */
export const DEFAULT_BYTES: Readonly<Record<ResourcePart, number>> = {
  log: 1024 * MEBIBYTE,
  blocks: 2048 * MEBIBYTE,
  usage: 512 * MEBIBYTE,
  work: 64 * MEBIBYTE,
  members: 32 * MEBIBYTE,
  state: 32 * MEBIBYTE,
  keys: 128 * MEBIBYTE,
  quota: 128 * MEBIBYTE,
  snapshots: 8192 * MEBIBYTE,
}

/** JetStream removes doubles of a message id within this time, milliseconds. */
export const DUPLICATE_WINDOW = 600_000
/** More copies make writes slower and survive no more than fleets need. */
export const MOST_REPLICAS = 3
/** Largest messages, bytes; those of streams have headers besides. */
const LARGEST_MESSAGE = MEBIBYTE
const LARGEST_VALUE = 65_536
/** Milliseconds for which quotas of a day stay: only those of today and of the days beside it are read, and a full bucket takes no more. */
const QUOTA_AGE = 7 * 24 * 3600 * 1000

/** What `fleet init` decides, kept under the key `format` of the bucket `state`. */
export interface FleetFormat {
  readonly format: typeof FLEET_FORMAT
  readonly replicas: number
  readonly bytes: Readonly<Record<ResourcePart, number>>
}

/** Version of everything that a fleet has in NATS, and of what members rely on of one another. */
export const FLEET_FORMAT = 2

/** The part of a stream's configuration that matters here. */
export type ResourceConfig = Pick<
  StreamConfig,
  | 'name'
  | 'subjects'
  | 'retention'
  | 'storage'
  | 'discard'
  | 'num_replicas'
  | 'max_bytes'
  | 'max_msg_size'
  | 'max_msgs'
  | 'max_msgs_per_subject'
  | 'max_age'
  | 'duplicate_window'
  | 'allow_direct'
  | 'allow_rollup_hdrs'
  | 'deny_delete'
  | 'deny_purge'
  | 'no_ack'
>

/** One stream; buckets and object stores are streams, too. */
export interface Resource {
  readonly part: ResourcePart
  readonly config: ResourceConfig
}

/** What a fleet should have in NATS. */
export function fleetResources(names: FleetNames, { replicas, bytes }: FleetFormat): readonly Resource[] {
  const common = {
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: replicas,
    max_msgs: -1,
    max_age: 0,
    // Reads that decide something must not be answered by a replica that is behind.
    allow_direct: false,
    deny_delete: true,
    no_ack: false,
  }
  // Who is behind what was removed asks other members.
  const stream = (part: ResourcePart, name: string, subjects: string[]): Resource => ({
    part,
    config: {
      ...common,
      name,
      subjects,
      discard: DiscardPolicy.Old,
      max_bytes: bytes[part],
      max_msg_size: LARGEST_MESSAGE,
      max_msgs_per_subject: -1,
      duplicate_window: nanos(DUPLICATE_WINDOW),
      allow_rollup_hdrs: false,
      deny_purge: true,
    },
  })
  // A full bucket refuses what is new: an old key that vanishes would be accepted, or counted, again.
  const bucket = (part: ResourcePart, name: string, age = 0): Resource => ({
    part,
    config: {
      ...common,
      name: bucketStream(name),
      subjects: [`$KV.${name}.>`],
      discard: DiscardPolicy.New,
      max_bytes: bytes[part],
      max_msg_size: LARGEST_VALUE,
      max_msgs_per_subject: 1,
      max_age: nanos(age),
      duplicate_window: nanos(DEFAULT_BUCKET_WINDOW),
      allow_rollup_hdrs: true,
      deny_purge: false,
    },
  })
  return [
    stream('log', names.log, [names.transactionSubject, names.headSubject]),
    stream('blocks', names.blocks, [`${names.fleet}.block.*`]),
    stream('usage', names.usage, [`${names.fleet}.usage.*`]),
    stream('work', names.work, [names.workSubject]),
    bucket('members', names.members),
    bucket('state', names.state),
    bucket('keys', names.keys),
    bucket('quota', names.quota, QUOTA_AGE),
    {
      part: 'snapshots',
      config: {
        ...common,
        name: objectStream(names.snapshots),
        subjects: [`$O.${names.snapshots}.C.>`, `$O.${names.snapshots}.M.>`],
        discard: DiscardPolicy.New,
        max_bytes: bytes.snapshots,
        max_msg_size: -1,
        max_msgs_per_subject: -1,
        duplicate_window: nanos(DEFAULT_BUCKET_WINDOW),
        // Chunks of an object that is replaced are purged, which is not deleting.
        allow_rollup_hdrs: true,
        deny_delete: false,
        deny_purge: false,
      },
    },
  ]
}

/** Nothing in buckets has message ids. */
const DEFAULT_BUCKET_WINDOW = 120_000

/** A property of a stream that is not as it should be. */
export interface ResourceDifference {
  readonly stream: string
  /** Null when the whole stream is missing. */
  readonly property: keyof ResourceConfig | 'persist_mode' | 'sealed' | null
  readonly expected: string
  readonly found: string
}

/** What of a stream is not as it should be; empty when all is. */
export function compareResource({ config }: Resource, found: StreamConfig): readonly ResourceDifference[] {
  const differences: ResourceDifference[] = []
  for (const property of Object.keys(config) as (keyof ResourceConfig)[]) {
    const expected = text(property, config[property])
    const actual = text(property, found[property])
    if (expected !== actual) differences.push({ stream: config.name, property, expected, found: actual })
  }
  // Both lose what was acknowledged.
  const mode: string = found.persist_mode ?? 'default'
  if (mode !== 'default' && mode !== '') {
    differences.push({ stream: config.name, property: 'persist_mode', expected: 'default', found: mode })
  }
  if (found.sealed) {
    differences.push({ stream: config.name, property: 'sealed', expected: 'false', found: 'true' })
  }
  return differences
}

/** Limits that are off are left out or -1, switches that are off are left out or false. */
function text(property: keyof ResourceConfig, value: unknown): string {
  if (Array.isArray(value)) return [...value].sort().join(' ')
  if (property.startsWith('max_')) return value === undefined || value === 0 ? '-1' : String(value)
  return value === undefined ? 'false' : String(value)
}
