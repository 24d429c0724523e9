import type { BlockEvent } from '../../filters/chainWalk.ts'
import type { FilterContent } from '../../filters/filters.ts'
import { HASHES_PER_POLL, MOST_BLOCKS, MOST_PENDING } from '../../filters/pollBounds.ts'
import {
  decodePosition,
  encodePosition,
  FILTER_ID_BYTES,
  type FilterPosition,
} from '../../storage/filters/filterRecord.ts'
import { FleetError } from '../errors.ts'
import type { AppliedHead } from '../interface.ts'
import { pack, unpack } from '../nats/packed.ts'
import type { OwnChanges } from './ownFilters.ts'

/** What is asked of the member that has a filter (fleet.md §10 `filter`). */
export type FilterCall =
  | {
      readonly what: 'poll' | 'content'
      readonly id: Buffer
      /** What the client may have seen at the member that asks. */
      readonly head: AppliedHead
    }
  | { readonly what: 'uninstall'; readonly id: Buffer }
  | {
      readonly what: 'undo'
      readonly id: Buffer
      readonly after: FilterPosition
      readonly before: FilterPosition
    }

/** What it answers; null when it has no such filter. */
export type FilterReply =
  | { readonly kind: 'changes'; readonly changes: OwnChanges }
  | { readonly kind: 'content'; readonly content: FilterContent }
  | { readonly kind: 'done' }
  /** It was not done: the member is away, or is not where the member that asks is. */
  | { readonly kind: 'refused' }
  | null

const HASH_BYTES = 32
const NUMBER_BYTES = 6
/** A block: number 6 ∥ hash 32 ∥ whether it was removed 1. */
const EVENT_BYTES = NUMBER_BYTES + HASH_BYTES + 1

/** Largest call. */
export const FILTER_CALL_BYTES = 1024
/** Room for the criteria of a filter and the blocks of a poll. */
const LOGS_BYTES = 256 * 1024
/** Largest reply to a poll: that of a filter that reads the log and then what is kept. */
const POLL_REPLY_BYTES: number = (HASHES_PER_POLL + MOST_PENDING) * HASH_BYTES + LOGS_BYTES
/** Bytes of an ordinary one. */
export const USUAL_REPLY_BYTES: number = HASHES_PER_POLL * HASH_BYTES + LOGS_BYTES
/** Largest reply. */
export const FILTER_REPLY_BYTES: number = Math.max(MOST_BLOCKS * HASH_BYTES, POLL_REPLY_BYTES)

/** The reply of a member that has no such filter. */
export const NO_FILTER: Buffer = pack(null)

/** Whether a reply says that there is no such filter. */
export function isNoFilter(reply: Uint8Array): boolean {
  // What came from another thread has lost its Buffer methods.
  return NO_FILTER.equals(reply)
}

export function encodeFilterCall(call: FilterCall): Buffer {
  switch (call.what) {
    case 'undo':
      return pack([call.what, call.id, encodePosition(call.after), encodePosition(call.before)])
    case 'uninstall':
      return pack([call.what, call.id])
    default:
      return pack([call.what, call.id, call.head.revision, call.head.hash])
  }
}

/** @throws FleetError `Malformed`, `TooLarge` */
export function decodeFilterCall(bytes: Buffer): FilterCall {
  const [what, id, first, second] = listOf(unpack(bytes, FILTER_CALL_BYTES))
  const filter = bytesOf(id)
  if (filter.length !== FILTER_ID_BYTES) throw malformed()
  if (what === 'uninstall') return { what, id: filter }
  if (what === 'poll' || what === 'content') {
    const hash = bytesOf(second)
    if (hash.length !== HASH_BYTES) throw malformed()
    return { what, id: filter, head: { revision: revisionOf(first), hash } }
  }
  if (what !== 'undo') throw malformed()
  return { what, id: filter, after: decodePosition(bytesOf(first)), before: decodePosition(bytesOf(second)) }
}

export function encodeFilterReply(reply: FilterReply): Buffer {
  if (reply === null) return NO_FILTER
  switch (reply.kind) {
    case 'done':
    case 'refused':
      return pack([reply.kind])
    case 'content':
      return reply.content.kind === 'logs'
        ? pack(['query', reply.content.query])
        : pack(['hashes', Buffer.concat(reply.content.hashes)])
    case 'changes': {
      const { changes } = reply
      if (changes.kind === 'hashes') return pack(['hashes', Buffer.concat(changes.hashes)])
      const { criteria, blocks, before, after } = changes
      const topics = criteria.topics.map((alternatives) => Buffer.concat(alternatives))
      const positions = [encodePosition(before), encodePosition(after)]
      return pack(['logs', Buffer.concat(criteria.addresses), topics, encodeEvents(blocks), ...positions])
    }
  }
}

/**
 * The reply to a poll; null when there is no such filter.
 * @throws FleetError `Malformed`, `TooLarge`; `NoMember` when the poll was refused, and so not done
 */
export function decodeChanges(bytes: Buffer): OwnChanges | null {
  const reply = unpack(bytes, FILTER_REPLY_BYTES)
  if (reply === null) return null
  const [kind, first, topics, blocks, before, after] = listOf(reply)
  if (kind === 'refused') throw refused()
  if (kind === 'hashes') return { kind, hashes: split(bytesOf(first), HASH_BYTES) }
  if (kind !== 'logs') throw malformed()
  return {
    kind,
    criteria: {
      addresses: split(bytesOf(first), 20),
      topics: listOf(topics).map((alternatives) => split(bytesOf(alternatives), HASH_BYTES)),
    },
    blocks: split(bytesOf(blocks), EVENT_BYTES).map(decodeEvent),
    before: decodePosition(bytesOf(before)),
    after: decodePosition(bytesOf(after)),
  }
}

/** The reply to a question for the content; null when there is no such filter. @throws as {@link decodeChanges} */
export function decodeContent(bytes: Buffer): FilterContent | null {
  const reply = unpack(bytes, FILTER_REPLY_BYTES)
  if (reply === null) return null
  const [kind, value] = listOf(reply)
  if (kind === 'refused') throw refused()
  if (kind === 'hashes') return { kind, hashes: split(bytesOf(value), HASH_BYTES) }
  if (kind !== 'query' || typeof value !== 'string') throw malformed()
  return { kind: 'logs', query: value }
}

/** Whether there was such a filter. @throws as {@link decodeChanges} */
export function decodeDone(bytes: Buffer): boolean {
  return unpack(bytes, FILTER_REPLY_BYTES) !== null
}

function encodeEvents(blocks: readonly BlockEvent[]): Buffer {
  const bytes = Buffer.alloc(blocks.length * EVENT_BYTES)
  for (const [index, { number, hash, removed }] of blocks.entries()) {
    const at = index * EVENT_BYTES
    bytes.writeUIntBE(number, at, NUMBER_BYTES)
    bytes.set(hash, at + NUMBER_BYTES)
    bytes[at + EVENT_BYTES - 1] = removed ? 1 : 0
  }
  return bytes
}

function decodeEvent(bytes: Buffer): BlockEvent {
  return {
    number: bytes.readUIntBE(0, NUMBER_BYTES),
    hash: bytes.subarray(NUMBER_BYTES, NUMBER_BYTES + HASH_BYTES),
    removed: bytes[EVENT_BYTES - 1] === 1,
  }
}

function split(bytes: Buffer, length: number): Buffer[] {
  if (bytes.length % length !== 0) throw malformed()
  return Array.from({ length: bytes.length / length }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  )
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed()
  return value
}

function bytesOf(value: unknown): Buffer {
  if (!(value instanceof Uint8Array)) throw malformed()
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

function revisionOf(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw malformed()
  return value as number
}

function refused(): FleetError {
  return new FleetError(
    'NoMember',
    'the member that has this filter is behind this one, or answers nothing while the head changes: ask again',
  )
}

function malformed(): FleetError {
  return new FleetError('Malformed', 'a call for a filter does not parse')
}
