import type { KV } from '@nats-io/kv'
import { AccessError } from '../../storage/access/errors.ts'
import type { KeyRecord } from '../../storage/access/keyRecord.ts'
import { toFleetError } from '../errors.ts'
import { compareAndSet } from '../nats/compareAndSet.ts'
import { bucketName, decodeKeyValue, encodeKeyValue, idOfBucketName, KEY_VALUE_BYTES } from './keyValue.ts'

/** Milliseconds for an answer of the bucket. */
const TIMEOUT = 10_000

/** Attempts to change a key that others change at the same time. */
const MOST_ATTEMPTS = 20

const UNREADABLE = 'its record in the bucket of keys is unreadable: was it written by another version?'

/** A record as the bucket has it. */
interface StoredKey {
  readonly key: KeyRecord
  readonly revision: number
}

/**
 * Keys of a fleet in their bucket, for commands: what resolves is on the disks of a majority of the NATS servers. Each
 * change follows the revision that was read, so that of two changes at the same time neither is lost (fleet.md §7).
 */
export class KeyBucket {
  readonly #bucket: KV

  constructor(bucket: KV) {
    this.#bucket = bucket
  }

  /** All keys, by id. @throws FleetError */
  async keys(): Promise<KeyRecord[]> {
    try {
      const keys: KeyRecord[] = []
      for await (const name of await this.#bucket.keys()) {
        const id = idOfBucketName(name)
        const stored = id === null ? null : await this.#read(id)
        if (stored !== null) keys.push(stored.key)
      }
      return keys.sort((a, b) => (a.id < b.id ? -1 : 1))
    } catch (error) {
      throw asFailure(error, 'the keys of the fleet cannot be read')
    }
  }

  /**
   * Adds a key, whose secret is random: nobody looks whether another key has it.
   * @throws AccessError `ACCESS_TAKEN`
   * @throws FleetError
   */
  async create(key: KeyRecord): Promise<void> {
    if (await this.#write(key, 0)) return
    throw new AccessError('ACCESS_TAKEN', `there is a key ${key.id} already`)
  }

  /**
   * Changes a key and returns the changed record. The change may run again on a newer record.
   * @throws AccessError `ACCESS_UNKNOWN_KEY`, and what the change throws
   * @throws FleetError
   */
  async update(id: string, change: (key: KeyRecord) => KeyRecord): Promise<KeyRecord> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const stored = await this.#read(id)
      if (stored === null) {
        throw new AccessError('ACCESS_UNKNOWN_KEY', `there is no key ${id} in the fleet: see \`key list\``)
      }
      const changed = change(stored.key)
      if (await this.#write(changed, stored.revision)) return changed
    }
    throw new AccessError('ACCESS_TAKEN', `the key ${id} is changed by others all the time: try again`)
  }

  async #read(id: string): Promise<StoredKey | null> {
    try {
      const entry = await this.#bucket.get(bucketName(id))
      if (entry === null || entry.operation !== 'PUT') return null
      const key = decodeKeyValue(id, entry.value)
      if (key === null) throw new AccessError('ACCESS_FORMAT', `the key ${id}: ${UNREADABLE}`)
      return { key, revision: entry.revision }
    } catch (error) {
      throw asFailure(error, `the key ${id} cannot be read`)
    }
  }

  async #write(key: KeyRecord, revision: number): Promise<boolean> {
    const value = encodeKeyValue(key)
    if (Buffer.byteLength(value) > KEY_VALUE_BYTES - 1024) {
      throw new AccessError(
        'ACCESS_FORMAT',
        `the key ${key.id} has too many methods or origins for one record`,
      )
    }
    try {
      const written = await compareAndSet(this.#bucket, bucketName(key.id), value, revision, TIMEOUT)
      return written !== null
    } catch (error) {
      throw asFailure(error, `the key ${key.id} cannot be written; see with \`key list\` whether it was`)
    }
  }
}

function asFailure(error: unknown, doing: string): Error {
  return error instanceof AccessError ? error : toFleetError(error, doing)
}
