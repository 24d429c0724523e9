import { RequestRecord, unknownName } from '../../../src/gateway/envelope/requestRecord.ts'
import { EncodedObjectCache } from '../../../src/native/encodedObjectCache.ts'
import {
  ANSWER_OFFSET,
  BATCH_BEGIN_RECORD,
  BATCH_END_RECORD,
  BATCH_TOO_LARGE,
  COUNT_WORD,
  FIRST_RECORD_WORD,
  FLAGS_WORD,
  INVALID_RECORD,
  NativeFastPath,
  NESTED_TOO_DEEP,
  NO_JSON,
  REFUSED_FLAG,
  REQUEST_WORDS,
} from '../../../src/native/nativeFastPath.ts'
import { RpcError } from '../../../src/rpc/errors.ts'
import { asBuffer } from '../../../src/util/bytes.ts'
import { type ParsedBody, parseBody } from './parseBody.ts'

/**
 * What a reader made of a body, in the form of the oracle without its errors: their kind alone for a body of which
 * nothing is answered.
 */
export type BodyReading =
  | { readonly kind: 'request'; readonly request: unknown }
  | { readonly kind: 'batch'; readonly elements: readonly BodyReading[]; readonly isRefused: boolean }
  | { readonly kind: 'invalid'; readonly id: string }
  | string

const FAULTS: ReadonlyMap<number, string> = new Map([
  [NO_JSON, 'parse'],
  [NESTED_TOO_DEEP, 'invalidRequest'],
  [BATCH_TOO_LARGE, 'batchTooLarge'],
])

/** Reads bodies as the gateway does, and as the oracle does. */
export class BodyReaders {
  readonly #native: NativeFastPath
  readonly #names: readonly string[]
  readonly #most: number
  readonly #out = Buffer.allocUnsafeSlow(ANSWER_OFFSET)
  readonly #head = new Uint32Array(this.#out.buffer, 0, ANSWER_OFFSET / Uint32Array.BYTES_PER_ELEMENT)

  /**
   * @param names of methods that are known
   * @param most requests of a batch
   */
  constructor(names: readonly string[], most: number) {
    this.#names = names
    this.#most = most
    const methods = names.map((name, index) => {
      return { name, index, fast: null, isCached: false, reportsReverts: false }
    })
    const objects = EncodedObjectCache.inMemory(0)
    this.#native = new NativeFastPath({ methods, objects, batch: most, cachedBytes: 0, out: this.#out })
  }

  /** What the native core makes of a body. */
  native(bytes: Uint8Array): BodyReading {
    const fault = FAULTS.get(this.#native.answer(bytes, false))
    if (fault !== undefined) return fault
    const isRefused = ((this.#head[FLAGS_WORD] ?? 0) & REFUSED_FLAG) !== 0
    const words = new Uint32Array(this.#head[COUNT_WORD] ?? 0)
    this.#native.copyRecords(new Uint8Array(words.buffer))
    const inPlace = this.#head.subarray(FIRST_RECORD_WORD, FIRST_RECORD_WORD + words.length)
    if (!words.subarray(0, inPlace.length).every((word, i) => word === inPlace[i]))
      throw new Error('records differ')
    const [body, ...more] = this.#elements(words, asBuffer(bytes))
    if (body === undefined || more.length > 0) throw new Error('a body is one value')
    return typeof body === 'object' && body.kind === 'batch' ? { ...body, isRefused } : body
  }

  /** What the oracle makes of it. */
  oracle(bytes: Uint8Array): BodyReading {
    try {
      return readingOf(parseBody(bytes, this.#most))
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      return error.kind
    }
  }

  #elements(words: Uint32Array, bytes: Buffer): BodyReading[] {
    const open: BodyReading[][] = [[]]
    for (let at = 0; at < words.length; ) {
      const kind = (words[at] ?? 0) & 0xff
      const elements = open.at(-1)
      if (elements === undefined) throw new Error('a batch ends that did not begin')
      if (kind === BATCH_BEGIN_RECORD) open.push([])
      else if (kind === BATCH_END_RECORD) {
        open.pop()
        open.at(-1)?.push({ kind: 'batch', elements, isRefused: false })
      } else if (kind === INVALID_RECORD) elements.push({ kind: 'invalid', id: 'null' })
      else {
        const record = new RequestRecord(words, at, bytes)
        const method = this.#names[record.method] ?? unknownName(record, bytes)
        const params = record.params.toString()
        elements.push({ kind: 'request', request: { method, id: record.id, params } })
        at += REQUEST_WORDS - 1
      }
      at += 1
    }
    if (open.length !== 1) throw new Error('a batch does not end')
    return open[0] ?? []
  }
}

function readingOf(body: ParsedBody): BodyReading {
  switch (body.kind) {
    case 'request':
      return body
    case 'invalid':
      return { kind: 'invalid', id: body.id }
    case 'batch':
      return { kind: 'batch', elements: body.elements.map(readingOf), isRefused: body.refusal !== undefined }
  }
}
