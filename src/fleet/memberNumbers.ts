import type { KV } from '@nats-io/kv'
import { FleetError, toFleetError } from './errors.ts'
import type { MemberId } from './interface.ts'
import { compareAndSet } from './nats/compareAndSet.ts'
import { MEMBER_ID, numberKey } from './nats/names.ts'

/** Numbers are two bytes of a filter id; 0 is none (fleet.md §6). */
export const MOST_MEMBERS = 65_535

/** Milliseconds for one write. */
const TIMEOUT = 5000
const KEY = /^number\.([1-9]\d{0,4})$/

/**
 * The number of a member: the one that it had, or the lowest that no member ever had. Numbers are never given back:
 * filters that others took over are known by them.
 * @param bucket `state`
 * @param earlier from its file; null for none
 * @throws FleetError `NoNumber`, and what the client fails with
 */
export async function claimNumber(
  bucket: Pick<KV, 'get' | 'put' | 'keys'>,
  id: MemberId,
  earlier: number | null,
): Promise<number> {
  try {
    if (earlier !== null && (await takes(bucket, id, earlier))) return earlier
    const taken = await takenNumbers(bucket)
    for (let number = 1; number <= MOST_MEMBERS; number += 1) {
      if (!taken.has(number) && (await takes(bucket, id, number))) return number
    }
  } catch (error) {
    throw toFleetError(error, 'this member cannot get its number')
  }
  throw new FleetError('NoNumber', `all ${MOST_MEMBERS} numbers of members are taken: make a new fleet`)
}

/** The member that has a number; null for none. */
export async function memberOfNumber(bucket: Pick<KV, 'get'>, number: number): Promise<MemberId | null> {
  const entry = await bucket.get(numberKey(number))
  if (entry === null || entry.operation !== 'PUT') return null
  const id = Buffer.from(entry.value.subarray(0, 64)).toString('latin1')
  return MEMBER_ID.test(id) ? id : null
}

async function takes(bucket: Pick<KV, 'get' | 'put'>, id: MemberId, number: number): Promise<boolean> {
  const revision = await compareAndSet(bucket, numberKey(number), id, 0, TIMEOUT)
  return revision !== null || (await memberOfNumber(bucket, number)) === id
}

async function takenNumbers(bucket: Pick<KV, 'keys'>): Promise<ReadonlySet<number>> {
  const taken = new Set<number>()
  for await (const key of await bucket.keys('number.*')) {
    const number = Number(KEY.exec(key)?.[1])
    if (number <= MOST_MEMBERS) taken.add(number)
  }
  return taken
}
