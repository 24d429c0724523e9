import { ANSWERED_FLAG, UNKNOWN_METHOD } from '../../native/nativeFastPath.ts'

/** Words of a record behind its flags. */
const METHOD = 1
const ID = 2
const PARAMS = 4
const TEXT = 6

/** Kind of a record, in its lowest byte. */
const KIND = 0xff

/** Kind of the record that begins there; a request's beyond the last one. */
export function kindAt(words: Uint32Array, at: number): number {
  return (words[at] ?? 0) & KIND
}

/** True when the native core has answered the request whose record begins there. */
export function isAnswered(words: Uint32Array, at: number): boolean {
  return ((words[at] ?? 0) & ANSWERED_FLAG) !== 0
}

/** First byte of its answer. */
export function answerStartAt(words: Uint32Array, at: number): number {
  return words[at + TEXT] ?? 0
}

/** The end of its answer. */
export function answerEndAt(words: Uint32Array, at: number): number {
  return words[at + TEXT + 1] ?? 0
}

/** Index of the method of the request whose record begins there. */
export function methodAt(words: Uint32Array, at: number): number {
  return words[at + METHOD] ?? 0
}

/** Bytes of its parameters. */
export function paramBytesAt(words: Uint32Array, at: number): number {
  return (words[at + PARAMS + 1] ?? 0) - (words[at + PARAMS] ?? 0)
}

/** True when it wants an answer. */
export function hasId(words: Uint32Array, at: number): boolean {
  return words[at + ID] !== words[at + ID + 1]
}

/** A request as the native core found it in its body. What of the body is not asked for is not copied. */
export class RequestRecord {
  /** Kind and flags of the record. */
  readonly flags: number
  /** Index of the method, or what stands for none. */
  readonly method: number
  /** First byte and end of the answer, where it is there, or of the method's text, where it is no known name. */
  readonly start: number
  readonly end: number
  readonly #words: Uint32Array
  readonly #at: number
  readonly #body: Buffer

  /** @param at where the record begins */
  constructor(words: Uint32Array, at: number, body: Buffer) {
    this.flags = words[at] ?? 0
    this.method = methodAt(words, at)
    this.start = answerStartAt(words, at)
    this.end = answerEndAt(words, at)
    this.#words = words
    this.#at = at
    this.#body = body
  }

  /** JSON text; null of a notification. */
  get id(): string | null {
    const [words, at] = [this.#words, this.#at]
    return hasId(words, at) ? this.#body.toString('utf8', words[at + ID], words[at + ID + 1]) : null
  }

  /** JSON text, empty when there are none: a part of the body. */
  get params(): Buffer {
    const [words, at] = [this.#words, this.#at]
    return this.#body.subarray(words[at + PARAMS] ?? 0, words[at + PARAMS + 1] ?? 0)
  }
}

/** The text that a request has as its method, which is no known name; null where it has none. */
export function unknownName({ method, start, end }: RequestRecord, body: Buffer): string | null {
  return method === UNKNOWN_METHOD ? (JSON.parse(body.toString('utf8', start, end)) as string) : null
}
