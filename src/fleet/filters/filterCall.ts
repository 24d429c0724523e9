import { asBuffer } from '../../util/bytes.ts'
import { FleetError } from '../errors.ts'
import { memberOfFilter } from './filterId.ts'

/** Service of a member that answers for its filters (fleet.md §8). */
export const FILTER_SERVICE = 'filter'

/** The question to the member that has a filter. */
export type FilterCall =
  | { readonly what: 'eth_getFilterLogs' | 'eth_uninstallFilter'; readonly id: string }
  /** The poll is random: the same one is answered the same, however often it is asked. */
  | { readonly what: 'eth_getFilterChanges'; readonly id: string; readonly poll: string }
  /** The answer to a poll came; until it did the next poll tells of the same again. */
  | { readonly what: 'delivered'; readonly id: string; readonly poll: string }

const METHODS = ['eth_getFilterLogs', 'eth_uninstallFilter'] as const
const POLLS = ['eth_getFilterChanges', 'delivered'] as const
const POLL = /^[0-9a-f]{16}$/
/** Bytes of the largest call. */
const LARGEST_CALL = 256
const RESULT_HEAD = Buffer.from('{"jsonrpc":"2.0","id":1,"result":')
/** Errors are short: what is longer is cut off, and no error any more. */
const LARGEST_ERROR = 65_536

export function encodeFilterCall(call: FilterCall): Buffer {
  return Buffer.from(JSON.stringify(call))
}

/** @throws FleetError `Malformed` */
export function decodeFilterCall(bytes: Buffer): FilterCall {
  const malformed = () => new FleetError('Malformed', 'a call for a filter does not parse')
  if (bytes.length > LARGEST_CALL) throw malformed()
  const { what, id, poll } = parsed(bytes) as Record<string, unknown>
  if (typeof id !== 'string' || memberOfFilter(id) === null) throw malformed()
  const polled = POLLS.find((name) => name === what)
  if (polled !== undefined && typeof poll === 'string' && POLL.test(poll)) return { what: polled, id, poll }
  const method = METHODS.find((name) => name === what)
  if (method === undefined) throw malformed()
  return { what: method, id }
}

/** JSON-RPC request of a call, whose answer {@link decodeFilterReply} reads. */
export function requestOf({ what, id }: FilterCall): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: what, params: [id] })
}

/** The answer of a member. */
export type FilterReply =
  | { readonly kind: 'result'; readonly result: Buffer }
  /** The error of JSON-RPC; what does not parse has neither code nor message. */
  | { readonly kind: 'error'; readonly code?: unknown; readonly message?: unknown }

export function decodeFilterReply(reply: Uint8Array): FilterReply {
  const answer = asBuffer(reply)
  if (answer.subarray(0, RESULT_HEAD.length).equals(RESULT_HEAD))
    return { kind: 'result', result: answer.subarray(RESULT_HEAD.length, -1) }
  const { error } = parsed(answer.subarray(0, LARGEST_ERROR)) as { readonly error?: object }
  return { ...error, kind: 'error' }
}

function parsed(bytes: Buffer): object {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
