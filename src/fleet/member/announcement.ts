import type { FleetBlock, MemberId } from '../interface.ts'
import { ANNOUNCED_SIGNATURES, type SignedBlocks } from '../quorum/blockSigning.ts'
import { MOST_SIGNATURES, readKey, SIGNATURE_BYTES } from '../quorum/headSignature.ts'
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
  /** Signatures that a head needs before it serves it (fleet.md §12). */
  readonly quorum?: number
  /** What it signed; null for nothing new, and without a key. */
  readonly signed?: SignedBlocks | null
}

/** As it goes over NATS. */
export function encodeAnnouncement(announcement: Announcement): Buffer {
  const { member, name, number, version, applied, pledge, wants, head, lag, load, executed } = announcement
  const { quorum = 0, signed = null } = announcement
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
    quorum,
    signed && signedFields(signed, namedBlocks(head, executed)),
  ])
}

/** @throws FleetError `Malformed` */
export function decodeAnnouncement(bytes: Uint8Array): Announcement {
  const fields = Fields.unpack(bytes, MOST_BYTES)
  const announcement = {
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
    quorum: fields.added((from) => from.integer(MOST_SIGNATURES)) ?? 0,
  }
  const named = namedBlocks(announcement.head, announcement.executed)
  return { ...announcement, signed: fields.added((from) => readSigned(from.fields(), named)) }
}

/** Blocks of an announcement: a signature names one by its place among them. */
function namedBlocks(
  head: FleetBlock | null,
  executed: readonly FleetBlock[],
): readonly (FleetBlock | null)[] {
  return [head, ...executed.slice(0, ANNOUNCED_BLOCKS)]
}

function signedFields(
  { key, blocks }: SignedBlocks,
  named: readonly (FleetBlock | null)[],
): readonly unknown[] {
  const placed = blocks.map(({ block, signature }) => [
    named.findIndex((other) => other?.hash.equals(block.hash) === true),
    signature,
  ])
  const known = placed.filter(([place]) => place !== -1)
  return [Buffer.from(key, 'hex'), known.slice(0, ANNOUNCED_SIGNATURES)]
}

function readSigned(fields: Fields, named: readonly (FleetBlock | null)[]): SignedBlocks {
  const key = readKey(fields)
  const pairs = fields.list(ANNOUNCED_SIGNATURES, (item) => {
    const pair = item.fields()
    const block = named[pair.integer(ANNOUNCED_BLOCKS)] ?? null
    return { block, signature: pair.exactly(SIGNATURE_BYTES) }
  })
  return {
    key,
    blocks: pairs.flatMap(({ block, signature }) => (block === null ? [] : [{ block, signature }])),
  }
}
