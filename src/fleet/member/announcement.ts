import type { FleetBlock, MemberId } from '../interface.ts'
import { blockFields, Fields, pack } from './messageFields.ts'

/** Blocks that an announcement names. */
export const ANNOUNCED_BLOCKS = 32
const MOST_BYTES = 16 * 1024
const MOST_NAME = 128

/**
 * What a member tells all others on `NAME.executed`, after every change and with every renewal of its lease
 * (fleet.md §3). Announcements may be lost or late: what one says of the pledge stays true.
 */
export interface Announcement {
  readonly member: MemberId
  /** For people. */
  readonly name: string
  readonly number: number
  readonly version: string
  /** Revision of the head that it applied last; 0 before the first. */
  readonly applied: number
  /** It begins no request under a head of this revision or an earlier one, ever again. */
  readonly pledge: number
  /** It is ready to serve once a head after its pledge names it. */
  readonly wants: boolean
  /** Its canonical head. */
  readonly head: FleetBlock | null
  /** Milliseconds for which it lacks a block that others have executed; 0 for none. */
  readonly lag: number
  /** Share of time in which its busiest thread was not idle. */
  readonly load: number
  /** Blocks that it executed last, the newest first. */
  readonly executed: readonly FleetBlock[]
}

/** As it goes over NATS. */
export function encodeAnnouncement(announcement: Announcement): Buffer {
  const { member, name, number, version, applied, pledge, wants, head, lag, load, executed } = announcement
  const blocks = executed.slice(0, ANNOUNCED_BLOCKS).map(blockFields)
  return pack([
    member,
    name.slice(0, MOST_NAME),
    number,
    version.slice(0, MOST_NAME),
    applied,
    pledge,
    wants,
    head && blockFields(head),
    Math.round(lag),
    load,
    blocks,
  ])
}

/** @throws FleetError `Malformed` */
export function decodeAnnouncement(bytes: Uint8Array): Announcement {
  const fields = Fields.unpack(bytes, MOST_BYTES)
  return {
    member: fields.member(),
    name: fields.text(MOST_NAME),
    number: fields.integer(65_535),
    version: fields.text(MOST_NAME),
    applied: fields.integer(),
    pledge: fields.integer(),
    wants: fields.flag(),
    head: fields.optional((from) => from.block()),
    lag: fields.integer(),
    load: fields.share(),
    executed: fields.list(ANNOUNCED_BLOCKS, (item) => item.block()),
  }
}
