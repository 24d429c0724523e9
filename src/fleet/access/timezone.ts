import type { KV } from '@nats-io/kv'
import { isTimezone } from '../../util/localDay.ts'
import { FleetError, toFleetError } from '../errors.ts'
import { compareAndSet } from '../nats/compareAndSet.ts'
import { parseObject } from '../parseObject.ts'

/** Key in the bucket `state`. */
const ACCESS_KEY = 'access'

const FORMAT = 1
const LARGEST_RECORD = 1024
const TIMEOUT = 10_000

/**
 * Sees that all members count quotas by days of the same place: the first one that asks records it. Days are what
 * the quota of a key is reserved by.
 * @param bucket `state`
 * @param timezone IANA name
 * @throws FleetError `Differs` when the fleet has another one
 */
export async function agreeOnTimezone(bucket: Pick<KV, 'get' | 'put'>, timezone: string): Promise<void> {
  try {
    const value = JSON.stringify({ format: FORMAT, timezone })
    if ((await compareAndSet(bucket, ACCESS_KEY, value, 0, TIMEOUT)) !== null) return
    const recorded = await readTimezone(bucket)
    if (recorded === timezone) return
    throw new FleetError(
      'Differs',
      `the fleet counts quotas by days in ${recorded}, this node in ${timezone}: give the same --quota-timezone`,
    )
  } catch (error) {
    throw toFleetError(error, 'the timezone of the quotas of the fleet cannot be read')
  }
}

/**
 * The place whose days quotas are counted in.
 * @param bucket `state`
 * @throws FleetError `NotCreated` before a member has recorded it
 */
export async function readTimezone(bucket: Pick<KV, 'get'>): Promise<string> {
  try {
    const entry = await bucket.get(ACCESS_KEY)
    const { format, timezone } = (entry && parseObject(entry.value, LARGEST_RECORD)) ?? {}
    if (format === FORMAT && typeof timezone === 'string' && isTimezone(timezone)) return timezone
    throw new FleetError('NotCreated', 'no member of the fleet has counted anything yet')
  } catch (error) {
    throw toFleetError(error, 'the timezone of the quotas of the fleet cannot be read')
  }
}
