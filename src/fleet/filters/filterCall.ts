import { asBuffer } from '../../util/bytes.ts'
import { FleetError } from '../errors.ts'
import { memberOfFilter } from './filterId.ts'

/** Service of a member that answers for its filters (fleet.md §8). */
export const FILTER_SERVICE = 'filter'

/** What is asked of the member that has a filter. */
export type FilterCall =
  | {
      readonly what: 'eth_getFilterChanges' | 'eth_getFilterLogs' | 'eth_uninstallFilter'
      readonly id: string
    }
  /** An answer to a poll came; until it did the next poll tells of the same again. */
  | { readonly what: 'delivered'; readonly id: string; readonly serial: number }

const METHODS = ['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter'] as const
/** Bytes of the largest call. */
const LARGEST_CALL = 256
const SERIAL_BYTES = 4
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
  const { what, id, serial } = parsed(bytes) as Record<string, unknown>
  if (typeof id !== 'string' || memberOfFilter(id) === null) throw malformed()
  if (what === 'delivered' && typeof serial === 'number') return { what, id, serial }
  const method = METHODS.find((name) => name === what)
  if (method === undefined) throw malformed()
  return { what: method, id }
}

/** JSON-RPC request of a call, whose answer {@link decodeFilterReply} reads. */
export function requestOf({ what, id }: FilterCall): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: what, params: [id] })
}

/** @param serial of the poll, which is told when its answer came @param answer to {@link requestOf} */
export function encodeFilterReply(serial: number, answer: Uint8Array): Buffer {
  const head = Buffer.alloc(SERIAL_BYTES)
  head.writeUInt32BE(serial)
  return Buffer.concat([head, answer])
}

/** What a member answered. */
export type FilterReply =
  | { readonly kind: 'result'; readonly serial: number; readonly result: Buffer }
  /** The error of JSON-RPC; what does not parse has neither code nor message. */
  | { readonly kind: 'error'; readonly code?: unknown; readonly message?: unknown }

export function decodeFilterReply(reply: Uint8Array): FilterReply {
  const bytes = asBuffer(reply)
  const answer = bytes.subarray(SERIAL_BYTES)
  if (answer.subarray(0, RESULT_HEAD.length).equals(RESULT_HEAD))
    return { kind: 'result', serial: bytes.readUInt32BE(), result: answer.subarray(RESULT_HEAD.length, -1) }
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
