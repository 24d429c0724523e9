import { RpcError } from '../../../src/rpc/errors.ts'
import { skipSpace, skipValue, sliceMembers } from './sliceJson.ts'

/** One request of a body. */
export interface ParsedRequest {
  /** null when the member is missing or no text: such a method cannot exist. */
  readonly method: string | null
  /** JSON text; null of a notification. */
  readonly id: string | null
  /** JSON text; empty when there are none. */
  readonly params: string
}

/** A batch with the elements of its text. */
export interface ParsedBatch {
  readonly kind: 'batch'
  readonly elements: readonly ParsedBody[]
  /** Why none of its requests is run; only of the outermost batch. */
  readonly refusal?: RpcError
}

/** A body: one request, a batch whose elements may be batches again, or what is no request. */
export type ParsedBody =
  | { readonly kind: 'request'; readonly request: ParsedRequest }
  | ParsedBatch
  | { readonly kind: 'invalid'; readonly id: string; readonly error: RpcError }

/** Structures in each other that are taken, as the reference's reader (rpc.md §1.1). */
const MAX_DEPTH = 1000

/**
 * Elements of a batch for each request that it may have. Only those with a method count as requests, as in the
 * reference (rpc.md §1.1), but the others are read and answered, too. A batch with more requests than it may have is
 * answered element by element up to this bound (decisions.md D45): beyond it the errors would be many times the body.
 */
const ELEMENTS_PER_REQUEST = 10

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses any body. What follows the first JSON value is ignored (rpc.md §11).
 * @param most requests of a batch, those of batches in it included; a batch of more has a refusal
 * @throws RpcError kind `parse` for what is no JSON, `invalidRequest` for JSON that is nested too deep,
 *   `batchTooLarge` for a batch of more than ten times as many elements
 */
export function parseBody(bytes: Uint8Array, most: number): ParsedBody {
  const whole = decode(bytes)
  const text = whole.slice(0, firstValue(whole)).trim()
  return text.startsWith('[') ? new BatchReader(text, most).readAll() : classify(text)
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    throw new RpcError('parse', undefined, { cause: error })
  }
}

/** End of the first JSON value, after checking that it is one. */
function firstValue(text: string): number {
  const end = skipValue(text, 0, MAX_DEPTH)
  if (end === 'tooDeep') throw new RpcError('invalidRequest', 'Invalid request')
  if (end === null) throw new RpcError('parse')
  try {
    JSON.parse(text.slice(0, end))
  } catch (error) {
    throw new RpcError('parse', undefined, { cause: error })
  }
  return end
}

/** Reads a batch in one pass: what is nested deep must not be looked at again for each level. */
class BatchReader {
  /** Valid JSON. */
  readonly #text: string
  readonly #most: number
  #requests = 0
  /** Elements that are no batches, and empty batches. */
  #elements = 0
  /** Where the reader stands. */
  #position = 0

  constructor(text: string, most: number) {
    this.#text = text
    this.#most = most
  }

  /** The whole batch. */
  readAll(): ParsedBatch {
    const batch = this.#read(0)
    return this.#requests > this.#most ? { ...batch, refusal: batchTooLarge(this.#most) } : batch
  }

  /** @param start of an array */
  #read(start: number): ParsedBatch {
    const text = this.#text
    const elements: ParsedBody[] = []
    this.#position = skipSpace(text, start + 1)
    while (text[this.#position] !== ']') {
      elements.push(this.#readElement())
      const after = skipSpace(text, this.#position)
      this.#position = text[after] === ',' ? skipSpace(text, after + 1) : after
    }
    if (elements.length === 0) this.#count(false)
    this.#position += 1
    return { kind: 'batch', elements }
  }

  #readElement(): ParsedBody {
    const start = this.#position
    if (this.#text[start] === '[') return this.#read(start)
    const end = skipValue(this.#text, start, MAX_DEPTH)
    this.#position = typeof end === 'number' ? end : this.#text.length
    const element = classify(this.#text.slice(start, this.#position))
    this.#count(element.kind === 'request' && element.request.method !== null)
    return element
  }

  #count(isRequest: boolean): void {
    this.#elements += 1
    if (isRequest) this.#requests += 1
    if (this.#elements > this.#most * ELEMENTS_PER_REQUEST) throw batchTooLarge(this.#most)
  }
}

/** The reference's text (rpc.md §1.1). */
function batchTooLarge(most: number): RpcError {
  const text = `Cannot dispatch batch requests. ${most} is the max number of supported batch requests`
  return new RpcError('batchTooLarge', text)
}

/** What a valid JSON text other than an array is as part of a body. */
function classify(text: string): ParsedBody {
  if (!text.startsWith('{')) return invalid('null')
  const members = sliceMembers(text)
  const id = members.get('id') ?? 'null'
  if (id.startsWith('{') || id.startsWith('[')) return invalid('null')
  const method: unknown = JSON.parse(members.get('method') ?? 'null')
  return {
    kind: 'request',
    request: {
      method: typeof method === 'string' ? method : null,
      id: id === 'null' ? null : id,
      params: members.get('params') ?? '',
    },
  }
}

function invalid(id: string): ParsedBody {
  return { kind: 'invalid', id, error: new RpcError('invalidRequest') }
}
