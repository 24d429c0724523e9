import type { MemberId } from '../interface.ts'
import { Fields, pack } from '../member/messageFields.ts'

const MOST_BYTES = 256

/** An entry of the log. Two logs, or one that lost its tail, have another time for the same sequence. */
export interface EntryPosition {
  readonly sequence: number
  /** When the stream stored it, milliseconds since 1970. */
  readonly time: number
}

/** What a member tells the leader on `NAME.applied` (fleet.md §4). */
export interface AppliedReport {
  readonly member: MemberId
  /** The last entry that it has applied. */
  readonly applied: EntryPosition
  /** The last sequence of which it knows that all members have applied it. */
  readonly stable: number
}

/** What the leader tells all members on `NAME.stable`: all have applied the log up to this entry. */
export interface StableNotice {
  readonly leader: MemberId
  readonly stable: EntryPosition
}

/** As it goes over NATS. */
export function encodeReport({ member, applied, stable }: AppliedReport): Buffer {
  return pack([member, applied.sequence, applied.time, stable])
}

/** @throws FleetError `Malformed` */
export function decodeReport(bytes: Uint8Array): AppliedReport {
  const fields = Fields.unpack(bytes, MOST_BYTES)
  return { member: fields.member(), applied: readPosition(fields), stable: fields.integer() }
}

/** As it goes over NATS. */
export function encodeStable({ leader, stable }: StableNotice): Buffer {
  return pack([leader, stable.sequence, stable.time])
}

/** @throws FleetError `Malformed` */
export function decodeStable(bytes: Uint8Array): StableNotice {
  const fields = Fields.unpack(bytes, MOST_BYTES)
  return { leader: fields.member(), stable: readPosition(fields) }
}

function readPosition(fields: Fields): EntryPosition {
  return { sequence: fields.integer(), time: fields.integer() }
}
