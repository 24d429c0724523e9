import { UNKNOWN_METHOD } from '../../native/nativeFastPath.ts'

/** A request as the native core found it in its body. */
export interface RequestRecord {
  /** Kind and flags of the record. */
  readonly flags: number
  /** Index of the method, or what stands for none. */
  readonly method: number
  /** JSON text; null of a notification. */
  readonly id: string | null
  /** JSON text, empty when there are none: a part of the body. */
  readonly params: Buffer
  /** First byte and end of the answer, where it is there, or of the method's text, where it is no known name. */
  readonly start: number
  readonly end: number
}

/** The request whose record begins there. */
export function requestAt(words: Uint32Array, at: number, body: Buffer): RequestRecord {
  const id = words[at + 2] ?? 0
  const idEnd = words[at + 3] ?? 0
  return {
    flags: words[at] ?? 0,
    method: words[at + 1] ?? 0,
    id: id === idEnd ? null : body.toString('utf8', id, idEnd),
    params: body.subarray(words[at + 4] ?? 0, words[at + 5] ?? 0),
    start: words[at + 6] ?? 0,
    end: words[at + 7] ?? 0,
  }
}

/** The text that a request has as its method, which is no known name; null where it has none. */
export function unknownName({ method, start, end }: RequestRecord, body: Buffer): string | null {
  return method === UNKNOWN_METHOD ? (JSON.parse(body.toString('utf8', start, end)) as string) : null
}
