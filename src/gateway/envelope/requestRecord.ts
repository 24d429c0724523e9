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
  const word = (offset: number) => words[at + offset] ?? 0
  const [id, idEnd] = [word(2), word(3)]
  return {
    flags: word(0),
    method: word(1),
    id: id === idEnd ? null : body.toString('utf8', id, idEnd),
    params: body.subarray(word(4), word(5)),
    start: word(6),
    end: word(7),
  }
}

/** The text that a request has as its method, which is no known name; null where it has none. */
export function unknownName({ method, start, end }: RequestRecord, body: Buffer): string | null {
  return method === UNKNOWN_METHOD ? (JSON.parse(body.toString('utf8', start, end)) as string) : null
}
