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

/** Words of a record behind its flags. */
const METHOD = 1
const ID = 2
const PARAMS = 4
const TEXT = 6

/** Index of the method of the request whose record begins there. */
export function methodAt(words: Uint32Array, at: number): number {
  return words[at + METHOD] ?? 0
}

/** Bytes of its parameters. */
export function paramBytesAt(words: Uint32Array, at: number): number {
  return (words[at + PARAMS + 1] ?? 0) - (words[at + PARAMS] ?? 0)
}

/** Whether it wants an answer. */
export function hasId(words: Uint32Array, at: number): boolean {
  return words[at + ID] !== words[at + ID + 1]
}

/** The request whose record begins there. */
export function requestAt(words: Uint32Array, at: number, body: Buffer): RequestRecord {
  const id = words[at + ID] ?? 0
  const idEnd = words[at + ID + 1] ?? 0
  return {
    flags: words[at] ?? 0,
    method: methodAt(words, at),
    id: id === idEnd ? null : body.toString('utf8', id, idEnd),
    params: body.subarray(words[at + PARAMS] ?? 0, words[at + PARAMS + 1] ?? 0),
    start: words[at + TEXT] ?? 0,
    end: words[at + TEXT + 1] ?? 0,
  }
}

/** The text that a request has as its method, which is no known name; null where it has none. */
export function unknownName({ method, start, end }: RequestRecord, body: Buffer): string | null {
  return method === UNKNOWN_METHOD ? (JSON.parse(body.toString('utf8', start, end)) as string) : null
}
