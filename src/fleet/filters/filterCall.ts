import { randomBytes } from 'node:crypto'
import { asBuffer } from '../../util/bytes.ts'
import type { MemberId } from '../member.ts'
import { parse, type Read, record, text, where } from '../nats/shape.ts'

const MEMBER_AT = 4
const MEMBER_DIGITS = 16
const FILTER_ID = /^0x[1-9a-f][0-9a-f]{31}$/
/** Bytes of the largest call. */
const MAX_CALL_BYTES = 256
const RESULT_HEAD = Buffer.from('{"jsonrpc":"2.0","id":1,"result":')
/** Errors are short: what is longer is cut off, and no error any more. */
const MAX_ERROR_BYTES = 65_536

/**
 * Id of a filter of a member (fleet.md §8): a random byte of at least 0x10, so that the text is a QUANTITY (decisions.md
 * D48), the id of the member in 8 bytes, 7 random bytes.
 */
export function createFilterId(member: MemberId): string {
  const random = randomBytes(8)
  random[0] = 0x10 + ((random[0] ?? 0) % 0xf0)
  return `0x${random.toString('hex', 0, 1)}${member}${random.toString('hex', 1)}`
}

/** The member that made a filter; null for what is no id of a filter. */
export function memberOfFilter(id: string): MemberId | null {
  return FILTER_ID.test(id) ? id.slice(MEMBER_AT, MEMBER_AT + MEMBER_DIGITS) : null
}

/** `delivered`: the answer to a poll came; until it did the next poll gives the same again. */
const CALLS = ['eth_getFilterLogs', 'eth_uninstallFilter', 'eth_getFilterChanges', 'delivered'] as const
const filterCall = record({
  what: where((what): what is (typeof CALLS)[number] => CALLS.some((call) => call === what)),
  id: text(FILTER_ID),
  /** Random for each poll and empty for what is none: the same one is answered the same, however often it is asked. */
  poll: text(/^([0-9a-f]{16})?$/),
})

/** The question to the member that has a filter. */
export type FilterCall = Read<typeof filterCall>

export function encodeFilterCall(call: FilterCall): Buffer {
  return Buffer.from(JSON.stringify(call))
}

/** @throws FleetError `Malformed` */
export function decodeFilterCall(bytes: Buffer): FilterCall {
  return parse(bytes, MAX_CALL_BYTES, filterCall)
}

/** JSON-RPC request of a call, whose answer {@link decodeFilterReply} reads. */
export function requestOf({ what, id }: FilterCall): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: what, params: [id] })
}

/** The answer of a member: the result, or code and message of the error; neither for what does not parse. */
export interface FilterReply {
  readonly result?: Buffer
  readonly code?: unknown
  readonly message?: unknown
}

export function decodeFilterReply(reply: Uint8Array): FilterReply {
  const answer = asBuffer(reply)
  if (answer.subarray(0, RESULT_HEAD.length).equals(RESULT_HEAD))
    return { result: answer.subarray(RESULT_HEAD.length, -1) }
  try {
    const { error } = JSON.parse(answer.toString('utf8', 0, MAX_ERROR_BYTES)) as {
      readonly error?: FilterReply
    }
    return { code: error?.code, message: error?.message }
  } catch {
    return {}
  }
}
