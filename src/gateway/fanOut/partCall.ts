import { RpcError } from '../../rpc/errors.ts'

/** Name of the service by which members search parts for one another (fleet.md §10). */
export const SEARCH_SERVICE = 'search'

/** Longest call, bytes: parameters of a search are at most what a body holds, but no member needs so many. */
const MOST_BYTES = 1024 * 1024
const SEPARATOR = 0x0a

/** A part that a member is asked for. */
export interface PartCall {
  /** Name of an internal method. */
  readonly method: string
  /** JSON text. */
  readonly params: string
}

/** A call as it goes to another member: the method, a line feed, the parameters. */
export function encodePartCall({ method, params }: PartCall): Buffer {
  return Buffer.from(`${method}\n${params}`)
}

/**
 * Reads a call of another member.
 * @param methods that it may ask for
 * @throws RpcError `invalidRequest`
 */
export function decodePartCall(payload: Buffer, methods: ReadonlySet<string>): PartCall {
  const split = payload.indexOf(SEPARATOR)
  const method = payload.toString('latin1', 0, Math.max(0, split))
  if (payload.length > MOST_BYTES || !methods.has(method)) throw new RpcError('invalidRequest')
  return { method, params: payload.toString('utf8', split + 1) }
}
