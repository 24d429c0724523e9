import { jetstream } from '@nats-io/jetstream'
import type { KV, KvEntry } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { AccessError } from '../../storage/access/errors.ts'
import {
  decodeFleetKey,
  encodeFleetKey,
  type FleetKey,
  type FleetKeyChange,
} from '../../storage/access/fleetKey.ts'
import type { KeyRecord } from '../../storage/access/keyRecord.ts'
import { FleetError, toFleetError } from '../errors.ts'
import { compareAndSet, openBucket } from '../nats/buckets.ts'
import type { FleetNames } from '../nats/names.ts'

/** Most bytes of the record of a key. */
const RECORD_BYTES = 64 * 1024
/** Attempts to change a key that others change at the same time. */
const MAX_ATTEMPTS = 20
/** Names of records that need no encoding. */
const PLAIN = /^[A-Za-z0-9_-]+$/

/** The id of an API key as a name in a bucket, which takes fewer characters and no empty parts. */
export function bucketName(id: string): string {
  return PLAIN.test(id) ? id : `=${Buffer.from(id).toString('base64url')}`
}

/** The id that a name in a bucket stands for; null when it stands for none. */
export function idOfBucketName(name: string): string | null {
  if (PLAIN.test(name)) return name
  const id = name.startsWith('=') ? Buffer.from(name.slice(1), 'base64url').toString('utf8') : ''
  return id !== '' && bucketName(id) === name ? id : null
}

/** The record of an entry; null for one that is none: another program wrote or removed it. */
export function readKeyEntry({ key: name, operation, value }: Pick<KvEntry, 'key' | 'operation' | 'value'>) {
  const id = idOfBucketName(name)
  if (id === null || operation !== 'PUT' || value.length > RECORD_BYTES) return null
  try {
    return decodeFleetKey(id, Buffer.from(value))
  } catch (error) {
    if (error instanceof AccessError) return null
    throw error
  }
}

/**
 * Writes a record when its revision is still the one that was seen.
 * @param revision 0 for one that was never there
 * @returns whether it was @throws what the client throws when the outcome is unknown
 */
export async function writeKey(bucket: KV, key: FleetKey, revision: number): Promise<boolean> {
  const value = encodeFleetKey(key)
  if (value.length > RECORD_BYTES)
    throw new AccessError(
      'ACCESS_FORMAT',
      `the key ${key.key.id} has too many methods or origins for a record`,
    )
  return (await compareAndSet(bucket, bucketName(key.key.id), value, revision)) !== null
}

/**
 * Keys of a fleet in their bucket, for commands: what resolves is on the disks of a majority of the NATS servers. Of two
 * changes at the same time neither is lost (fleet.md §6).
 */
export class KeyBucket {
  readonly #bucket: KV

  constructor(bucket: KV) {
    this.#bucket = bucket
  }

  /** @throws FleetError `NotCreated` */
  static async open(connection: NatsConnection, names: FleetNames): Promise<KeyBucket> {
    return new KeyBucket(await openBucket(jetstream(connection), names.keys))
  }

  /** The records that there are, and the ids that they are of. @throws what the client throws */
  async *entries(): AsyncGenerator<{ readonly id: string; readonly entry: KvEntry }> {
    for await (const name of await this.#bucket.keys()) {
      const id = idOfBucketName(name)
      const entry = await this.#bucket.get(name)
      if (id !== null && entry !== null) yield { id, entry }
    }
  }

  /** All keys by id, without those that were removed. @throws FleetError */
  async keys(): Promise<KeyRecord[]> {
    try {
      const keys: KeyRecord[] = []
      for await (const { entry } of this.entries()) {
        const stored = readKeyEntry(entry)
        if (stored !== null && !stored.isRemoved) keys.push(stored.key)
      }
      return keys.sort((one, other) => (one.id < other.id ? -1 : 1))
    } catch (error) {
      throw toFleetError(error, 'the keys of the fleet cannot be read')
    }
  }

  /**
   * Changes a key and returns its new record. The change may run again on a newer one; the same record stays as it is.
   * @throws AccessError what the change throws @throws FleetError
   */
  async change(id: string, change: FleetKeyChange): Promise<FleetKey> {
    try {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const entry = await this.#bucket.get(bucketName(id))
        const before = entry === null ? null : readKeyEntry(entry)
        const changed = change(before)
        if (changed === before || (await writeKey(this.#bucket, changed, entry?.revision ?? 0)))
          return changed
      }
    } catch (error) {
      if (error instanceof AccessError) throw error
      throw toFleetError(error, `the key ${id} is not known to be changed; see with \`key list\``)
    }
    throw new FleetError('Failed', `the key ${id} is changed by others all the time: try again`)
  }
}
