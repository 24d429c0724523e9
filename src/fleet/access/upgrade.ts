import { createHash } from 'node:crypto'
import { jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { AccessError } from '../../storage/access/errors.ts'
import { type FleetKey, holdsOver } from '../../storage/access/fleetKey.ts'
import { decodeKey } from '../../storage/access/keyRecord.ts'
import type { OldUsage } from '../../storage/access/oldFleet.ts'
import type { DayUsage } from '../../storage/access/usageRecord.ts'
import { toFleetError } from '../errors.ts'
import { findStream, openBucket } from '../nats/buckets.ts'
import type { FleetNames } from '../nats/names.ts'
import { KeyBucket } from './keyBucket.ts'

/** Keys and usage of the fleets before (`fleet upgrade`): into the bucket of this one, and into the store. */

const NOBODY = '0000000000000000'

/** The record of a key of such a fleet: whoever brings it over makes the same. */
function upgradedKey({ key, isRemoved }: Pick<FleetKey, 'key' | 'isRemoved'>): FleetKey {
  return { key, isRemoved, version: { counter: 1, time: key.created, member: NOBODY } }
}

/**
 * Brings keys of the old bucket over, and those that a member knows where there is no such bucket. What was changed since
 * in the new one holds; of two old records the one that permits less.
 * @param known of the store of a member
 * @returns how many are new or changed @throws FleetError
 */
export async function upgradeKeys(
  connection: NatsConnection,
  names: FleetNames,
  known: readonly FleetKey[],
): Promise<number> {
  try {
    const target = await KeyBucket.open(connection, names)
    const old = await readOldKeys(connection, `${names.fleet}-keys`)
    let count = 0
    for (const key of old ?? known.map(upgradedKey)) {
      const kept = await target.change(key.key.id, (there) =>
        there !== null && !holdsOver(key, there) ? there : key,
      )
      if (kept === key) count += 1
    }
    return count
  } catch (error) {
    throw error instanceof AccessError ? error : toFleetError(error, 'the keys are not brought over')
  }
}

async function readOldKeys(connection: NatsConnection, name: string): Promise<FleetKey[] | null> {
  if ((await findStream(connection, `KV_${name}`)) === null) return null
  const keys: FleetKey[] = []
  for await (const { id, entry } of new KeyBucket(await openBucket(jetstream(connection), name)).entries()) {
    const { format, key } = JSON.parse(entry.string()) as { format?: unknown; key?: unknown }
    if (format !== 1) throw new AccessError('ACCESS_DAMAGED', `the record of ${id} in ${name} is unreadable`)
    const record = { ...decodeKey(id, Buffer.from(JSON.stringify(key))), fromFile: false, fromFleet: true }
    keys.push(upgradedKey({ key: record, isRemoved: false }))
  }
  return keys
}

/** Takes from the stream of usage what a store has not. @returns how many deltas @throws FleetError */
export async function readOldStream(
  connection: NatsConnection,
  { fleet }: FleetNames,
  usage: OldUsage,
): Promise<number> {
  const name = `${fleet}-usage`
  try {
    const stream = await findStream(connection, name)
    if (stream === null || stream.state.messages === 0) return 0
    const consumer = await jetstream(connection).consumers.get(name)
    let count = 0
    for await (const message of await consumer.consume()) {
      if (usage.take(Buffer.from(message.data))) count += 1
      if (message.info.pending === 0) break
    }
    return count
  } catch (error) {
    throw toFleetError(error, `the stream ${name} cannot be read`)
  }
}

/** The lives that the usage of such a store becomes: the sum of the fleet, the same for all, and what is not in it. */
export function livesOf(usage: OldUsage): ReadonlyMap<string, readonly DayUsage[]> {
  const { fleet, epoch } = usage.mark
  const sum = createHash('sha256').update(`the usage of the fleet ${fleet}`).digest('hex')
  return new Map([
    [sum.slice(0, epoch.length), usage.sum],
    [epoch, usage.own],
  ])
}
