import type { NatsConnection } from '@nats-io/transport-node'
import { toFleetError } from './errors.ts'
import type { MemberId } from './interface.ts'
import { type LeaderRecord, parseLeaderRecord } from './lease/leader.ts'
import { type MemberRecord, parseMemberRecord } from './lease/memberRecord.ts'
import { bucketStream, type FleetNames, MEMBER_ID, STATE_KEYS } from './nats/names.ts'
import { openBucket } from './nats/provision.ts'

/** A member as its last renewal left it. */
export interface ListedMember {
  readonly id: MemberId
  readonly record: MemberRecord
  /** Since its last renewal by the clock of NATS, milliseconds: for people only, a lease is not judged by it. */
  readonly age: number
}

/** Members that have not left, and the leader; for tools that are no members. @throws FleetError */
export async function readMembers(
  connection: NatsConnection,
  names: FleetNames,
): Promise<{ readonly members: readonly ListedMember[]; readonly leader: LeaderRecord | null }> {
  try {
    const bucket = await openBucket(connection, names.members)
    const { streamInfo } = await bucket.status()
    const now = streamInfo.ts === undefined ? Date.now() : Date.parse(streamInfo.ts)
    const members: ListedMember[] = []
    for await (const { key, value, operation, created } of await bucket.history()) {
      const record = operation === 'PUT' && MEMBER_ID.test(key) ? parseMemberRecord(value) : null
      if (record !== null) members.push({ id: key, record, age: Math.max(0, now - created.getTime()) })
    }
    const state = await openBucket(connection, names.state)
    const entry = await state.get(STATE_KEYS.leader)
    const leader = entry === null ? null : parseLeaderRecord(entry.value)
    return { members: members.sort((one, other) => one.record.number - other.record.number), leader }
  } catch (error) {
    throw toFleetError(error, `the bucket ${bucketStream(names.members)} cannot be read`)
  }
}
