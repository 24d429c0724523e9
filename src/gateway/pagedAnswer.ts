import { responseTooLarge, toErrorObject } from '../rpc/errors.ts'
import { errorAnswer, PAGE_STATUS } from '../rpc/execute.ts'
import { failureText, successText } from '../rpc/json.ts'
import type { AnswerStream, Exchange } from './exchange.ts'
import type { AnswerSink } from './scheduler/ticket.ts'

/** Id of the requests for the pages after the first; the client's own stands in the head that it gets. */
export const PAGE_ID = '0'

const LINE_FEED = 0x0a
const HEAD = Buffer.from(openResult(PAGE_ID))
const COMMA = Buffer.from(',')
/** The end of an answer behind the last element of its array. */
export const RESULT_END: Buffer = Buffer.from(']}')

/** The parts that an answer in pages needs. */
export interface PagedAnswerOptions {
  /** JSON text of the client's id. */
  readonly id: string
  readonly exchange: Exchange
  /** True when the answer is the only one of its exchange, so that its pages can go out as they come. */
  readonly alone: boolean
  /** Bytes of an answer that has to be put together here. */
  readonly maxBytes: number
  /** Takes an answer that was put together, or an error. */
  readonly sink: AnswerSink
  /**
   * Called when an answer that was sent page by page has ended; with false when it broke off.
   * @param bytes that were sent
   */
  readonly onStreamed: (isWhole: boolean, bytes: number) => void
  /** Asks for the page of a parameter (JSON text). */
  readonly ask: (next: string, sink: AnswerSink) => void
}

/**
 * Puts an answer together from pages. Over HTTP each page is sent before the next is asked for, and that
 * waits until the client has taken it: the memory is that of one page however long the answer. Where an
 * answer has to be one piece, in a batch or on a WebSocket, it is gathered up to the limit of answers.
 */
export class PagedAnswer {
  readonly #options: PagedAnswerOptions
  readonly #stream: AnswerStream | undefined
  readonly #gathered: Buffer[] = []
  /** Of the answer so far. */
  #bytes = 0

  constructor(options: PagedAnswerOptions) {
    this.#options = options
    this.#stream = options.alone ? options.exchange.beginStream?.() : undefined
  }

  /** Takes the first page, of status `PAGE_STATUS`. */
  begin(page: string | Uint8Array): void {
    this.#takePage(Buffer.from(openResult(this.#options.id)), toBuffer(page))
  }

  /** Takes what came for a request for another page. */
  #take(body: string | Uint8Array, status: number): void {
    const bytes = toBuffer(body)
    if (status === PAGE_STATUS) this.#takePage(COMMA, bytes)
    else if (bytes.subarray(0, HEAD.length).equals(HEAD)) {
      const elements = bytes.subarray(HEAD.length, bytes.length - RESULT_END.length)
      this.#finish(elements.length === 0 ? [RESULT_END] : [COMMA, elements, RESULT_END])
    } else if (this.#stream === undefined) this.#options.sink(withId(bytes, this.#options.id), status)
    else {
      this.#stream.abort()
      this.#options.onStreamed(false, this.#bytes)
    }
  }

  #takePage(before: Buffer, page: Buffer): void {
    const split = page.indexOf(LINE_FEED)
    const next = page.toString('utf8', 0, split)
    // Long pieces are not copied to put short ones before them.
    const pieces = [before, page.subarray(split + 1)]
    const goOn = () => {
      if (!this.#options.exchange.gone) this.#options.ask(next, (body, status) => this.#take(body, status))
    }
    const stream = this.#stream
    if (stream === undefined) {
      if (this.#gather(pieces)) goOn()
      return
    }
    this.#count(pieces)
    if (stream.write(...pieces)) goOn()
    else {
      stream.onWritable = () => {
        stream.onWritable = undefined
        goOn()
      }
    }
  }

  #finish(last: readonly Buffer[]): void {
    if (this.#stream !== undefined) {
      this.#count(last)
      this.#stream.end(...last)
      this.#options.onStreamed(true, this.#bytes)
    } else if (this.#gather(last)) this.#options.sink(Buffer.concat(this.#gathered), 200)
  }

  /** True when the answer has not too many bytes, and the client's memory enough. */
  #gather(pieces: readonly Buffer[]): boolean {
    const { id, exchange, maxBytes, sink } = this.#options
    this.#count(pieces)
    if (this.#bytes > maxBytes) {
      sink(failureText(id, toErrorObject(responseTooLarge(maxBytes))), 200)
      return false
    }
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
    if (exchange.hold?.(bytes) === false) {
      const { text, status } = errorAnswer(id, exchange.caller.account.memory.refusal(bytes))
      sink(text, status)
      return false
    }
    // Pages lie in memory that the next one may take.
    this.#gathered.push(...pieces.map((piece) => Buffer.from(piece)))
    return true
  }

  #count(pieces: readonly Buffer[]): void {
    for (const { length } of pieces) this.#bytes += length
  }
}

/** Text of an answer up to the first element of its array. */
export function openResult(id: string): string {
  return successText(id, '[').slice(0, -1)
}

/** An error with the client's id in place of that of the page. */
function withId(error: Buffer, id: string): string {
  return error.toString('utf8').replace(`"id":${PAGE_ID}`, () => `"id":${id}`)
}

function toBuffer(body: string | Uint8Array): Buffer {
  if (typeof body === 'string') return Buffer.from(body, 'utf8')
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}
