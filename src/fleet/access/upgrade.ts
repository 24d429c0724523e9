import { createHash } from 'node:crypto'
import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { AccessError } from '../../storage/access/errors.ts'
import { type FleetKey, holdsOver } from '../../storage/access/fleetKey.ts'
import { decodeKey } from '../../storage/access/keyRecord.ts'
import { newLife } from '../../storage/access/lifeUsage.ts'
import type { OldUsage } from '../../storage/access/oldFleet.ts'
import { type DayUsage, mostOf } from '../../storage/access/usageRecord.ts'
import { toFleetError } from '../errors.ts'
import { openBucket } from '../nats/buckets.ts'
import type { FleetNames } from '../nats/names.ts'
import { decodeRecord, encodeRecord, recordName } from './counterCodec.ts'
import { bucketName, idOfBucketName, readKeyEntry, writeKey } from './keyBucket.ts'

/** Keys and usage of the fleets before, into the buckets of this one (`fleet upgrade`). */

const NOBODY = '0000000000000000'
const ATTEMPTS = 20

export interface UpgradeTarget {
  readonly connection: NatsConnection
  readonly names: FleetNames
}

/** The record of a key of such a fleet: whoever brings it over makes the same. */
function upgradedKey({ key, isRemoved }: FleetKey): FleetKey {
  return { key, isRemoved, version: { counter: 1, time: key.created, member: NOBODY } }
}

/**
 * Brings keys of the old bucket over, and those that a member knows where there is no such bucket. What was changed since
 * in the new one holds; of two old records the one that permits less.
 * @param known of the store of a member
 * @returns how many are new or changed @throws FleetError
 */
export async function upgradeKeys(
  { connection, names }: UpgradeTarget,
  known: readonly FleetKey[],
): Promise<number> {
  try {
    const target = await openBucket(jetstream(connection), names.keys)
    const old = await readOldKeys(connection, `${names.fleet}-keys`)
    let count = 0
    for (const key of old ?? known.map(upgradedKey)) if (await bring(target, key)) count += 1
    return count
  } catch (error) {
    throw error instanceof AccessError ? error : toFleetError(error, 'the keys are not brought over')
  }
}

async function bring(target: KV, key: FleetKey): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const entry = await target.get(bucketName(key.key.id))
    const there = entry === null ? null : readKeyEntry(entry)
    if (there !== null && !holdsOver(key, there)) return false
    if (await writeKey(target, key, entry?.revision ?? 0)) return true
  }
  throw new AccessError('ACCESS_TAKEN', `the key ${key.key.id} is changed by others all the time`)
}

async function readOldKeys(connection: NatsConnection, name: string): Promise<FleetKey[] | null> {
  const manager = await jetstreamManager(connection)
  if (!(await hasStream(manager, `KV_${name}`))) return null
  const bucket = await new Kvm(connection).open(name)
  const keys: FleetKey[] = []
  for await (const each of await bucket.keys()) {
    const id = idOfBucketName(each)
    const entry = id === null ? null : await bucket.get(each)
    if (id === null || entry === null) continue
    const { format, key } = JSON.parse(entry.string()) as { format?: unknown; key?: unknown }
    if (format !== 1) throw new AccessError('ACCESS_DAMAGED', `the record of ${id} in ${name} is unreadable`)
    const record = { ...decodeKey(id, Buffer.from(JSON.stringify(key))), fromFile: false, fromFleet: true }
    keys.push(upgradedKey({ key: record, isRemoved: false, version: { counter: 0, time: 0, member: '' } }))
  }
  return keys
}

/** Reads what the stream of usage has beyond a store. @returns how many deltas @throws FleetError */
export async function readOldStream({ connection, names }: UpgradeTarget, usage: OldUsage): Promise<number> {
  const name = `${names.fleet}-usage`
  try {
    const manager = await jetstreamManager(connection)
    if (!(await hasStream(manager, name))) return 0
    const { state, created } = await manager.streams.info(name)
    const start = created === usage.mark.stream ? usage.mark.position + 1 : 1
    if (state.messages === 0 || state.last_seq < start) return 0
    const consumer = await jetstream(connection).consumers.get(name, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: Math.max(start, state.first_seq),
    })
    let count = 0
    for await (const message of await consumer.consume()) {
      usage.take(Buffer.from(message.data))
      count += 1
      if (message.seq >= state.last_seq || message.info.pending === 0) break
    }
    return count
  } catch (error) {
    throw toFleetError(error, `the stream ${name} cannot be read`)
  }
}

/** The lives that the usage of such a store becomes: the sum of the fleet, the same for all, and what is not in it. */
export function livesOf(usage: OldUsage): ReadonlyMap<string, readonly DayUsage[]> {
  const { fleet, epoch } = usage.mark
  const sum = createHash('sha256')
    .update(`the usage of the fleet ${fleet}`)
    .digest('hex')
    .slice(0, epoch.length)
  return new Map([
    [sum, usage.sum],
    [epoch, usage.own],
  ])
}

/** Adds rows of lives to the bucket of counters: of each figure the larger one stays. @throws FleetError */
export async function upgradeUsage(
  { connection, names }: UpgradeTarget,
  lives: ReadonlyMap<string, readonly DayUsage[]>,
  { zone, first }: { readonly zone: string; readonly first: number },
): Promise<void> {
  try {
    const bucket = await openBucket(jetstream(connection), names.counters)
    const records = new Map<string, DayUsage[]>()
    for (const [life, rows] of lives)
      for (const row of rows.filter(({ day }) => day >= first)) {
        const name = recordName(life, row)
        records.set(name, [...(records.get(name) ?? []), row])
      }
    const by = newLife()
    for (const [name, rows] of records) {
      const entry = await bucket.get(name)
      const most = new Map<string, DayUsage>()
      for (const row of entry?.operation === 'PUT' ? decodeRecord(entry.value).rows : [])
        most.set(row.id, row)
      for (const { id, day, methods } of rows)
        most.set(id, { id, day, methods: mostOf(most.get(id)?.methods ?? new Map(), methods) })
      await bucket.put(name, encodeRecord({ by, zone, rows: [...most.values()] }))
    }
  } catch (error) {
    throw toFleetError(error, 'the usage is not brought over')
  }
}

async function hasStream(
  manager: Awaited<ReturnType<typeof jetstreamManager>>,
  name: string,
): Promise<boolean> {
  try {
    await manager.streams.info(name)
    return true
  } catch (error) {
    const failure = toFleetError(error, `the stream ${name} cannot be looked at`)
    if (failure.code === 'NotCreated') return false
    throw failure
  }
}
