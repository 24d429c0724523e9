import type { KV } from '@nats-io/kv'
import { FleetError } from '../errors.ts'
import { compareAndSet } from '../nats/compareAndSet.ts'
import { parseObject } from '../parseObject.ts'
import { bucketName } from './keyValue.ts'
import type { QuotaRecord, QuotaStore } from './quotaBlocks.ts'

const FORMAT = 1
const LARGEST_RECORD = 1024

/** Milliseconds for an answer of the bucket: a member waits no longer for units. */
const TIMEOUT = 1000

/** The bucket of quotas in NATS: key `DAY.KEYID`, value JSON (fleet.md §7). */
export class QuotaBucket implements QuotaStore {
  readonly #bucket: Pick<KV, 'get' | 'put'>

  constructor(bucket: Pick<KV, 'get' | 'put'>) {
    this.#bucket = bucket
  }

  /** @throws FleetError `Malformed`, and what the client throws */
  async read(day: number, id: string): Promise<QuotaRecord> {
    const entry = await this.#bucket.get(placeOf(day, id))
    if (entry === null) return { reserved: 0, revision: 0 }
    // Nobody deletes one; what was deleted was used.
    const { format, reserved } = parseObject(entry.value, LARGEST_RECORD) ?? {}
    if (format !== FORMAT || !Number.isSafeInteger(reserved) || (reserved as number) < 0) {
      throw new FleetError('Malformed', `the quota of the key ${id} in the bucket of quotas does not parse`)
    }
    return { reserved: reserved as number, revision: entry.revision }
  }

  /** @throws what the client throws when the outcome is unknown */
  async write(day: number, id: string, { reserved, revision }: QuotaRecord): Promise<boolean> {
    const value = JSON.stringify({ format: FORMAT, reserved })
    return (await compareAndSet(this.#bucket, placeOf(day, id), value, revision, TIMEOUT)) !== null
  }
}

function placeOf(day: number, id: string): string {
  return `${day}.${bucketName(id)}`
}
