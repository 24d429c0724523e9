import type { HttpResponse } from 'uWebSockets.js'
import type { BlockReference } from '../chain/tables/blockKey.ts'
import type { Caller } from '../gateway/access/caller.ts'
import { idOfAnswer } from '../gateway/envelope/answerId.ts'
import type { AnswerStream, Exchange } from '../gateway/exchange.ts'
import type { ExchangeTrace } from '../observe/tracing.ts'
import { errorAnswer } from '../rpc/execute.ts'
import type { AnswerHeaders } from './answerHeaders.ts'
import { type AnswerPacer, PIECE_BYTES } from './answerPacer.ts'
import type { FrontMetrics } from './frontMetrics.ts'
import { APPLICATION_JSON, CONTENT_TYPE } from './headerBytes.ts'
import { writeLimitHeaders, writeRetryAfter } from './limitHeaders.ts'
import { type PageAccess, writeAllowedOrigin } from './origins.ts'
import { PacedBody, PacedStream, type PacedTarget } from './pacedBody.ts'
import { holdBack } from './tickBudget.ts'

/** Status lines of the codes that are sent. */
export const STATUS_LINES: Readonly<Record<number, string>> = {
  200: '200 OK',
  204: '204 No Content',
  304: '304 Not Modified',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  411: '411 Length Required',
  413: '413 Payload Too Large',
  415: '415 Unsupported Media Type',
  429: '429 Too Many Requests',
  503: '503 Service Unavailable',
}

/** Copies of a request that may exist at once: the body, the text of its parameters, and a worker's copy of them. */
export const REQUEST_COPIES = 3

/** Bodies of more bytes or characters are sent in pieces. */
const LARGE_BYTES = 2 * PIECE_BYTES

/** The parts that all exchanges of a front share. */
export interface ExchangeParts {
  readonly metrics: FrontMetrics
  /** Sends large answers. */
  readonly pacer: AnswerPacer
  /** That answers carry beside those of every server; null for none. */
  readonly headers: AnswerHeaders | null
}

/** A body that comes in pieces. */
interface Pieces {
  readonly list: Buffer[]
  bytes: number
}

/** One HTTP request. Only one whose caller was admitted is an exchange of the gateway. */
export class HttpExchange<C extends Caller | null = Caller> implements Omit<Exchange, 'caller'> {
  onGone: (() => void) | undefined
  gone = false
  readonly requestId: string | null
  readonly trace: ExchangeTrace | null
  readonly response: HttpResponse
  readonly restricted: boolean
  readonly caller: C
  readonly #allowedOrigin: string | null
  readonly #parts: ExchangeParts
  /** The pieces of the body before its last one. */
  #pieces: Pieces | null = null
  /** The height that the head is to have at least. */
  minBlock = 0
  /** The body that is sent in pieces. */
  #large: PacedBody | PacedStream | undefined
  /** The block that the answer is given at; null for the head when it is sent. */
  #block: BlockReference | null = null
  /** Bytes that were taken from the memory of the caller. */
  #held = 0
  /** Refusals of the caller before this request. */
  readonly #refusedBefore: number
  /** True when the library's own callback is still on the stack: what is written then is corked already. */
  corked = false
  /** True when a body that waited is just being looked at: what is written then took no other work. */
  isBegun = false

  /**
   * @param access what the page that sent the request may do
   * @param caller who is charged for the request; null when it was not admitted
   * @param requestId the client's name for the exchange; it is echoed
   */
  constructor(
    response: HttpResponse,
    access: PageAccess,
    caller: C,
    parts: ExchangeParts,
    requestId: string | null,
    trace: ExchangeTrace | null,
  ) {
    this.response = response
    this.restricted = access.restricted
    this.#allowedOrigin = access.allowedOrigin
    this.caller = caller
    this.#parts = parts
    this.requestId = requestId
    this.trace = trace
    this.onGone = undefined
    this.#refusedBefore = caller?.account.refused ?? 0
    parts.metrics.began()
    if (caller !== null) {
      caller.begin()
      parts.pacer.asked(caller.account)
    }
  }

  /**
   * To be called when the client goes away. Whoever makes the exchange has the library do so, with the function that it
   * makes for the body anyway: one of this class would have a context of its own for each request.
   */
  aborted(): void {
    if (!this.gone) this.#end(null)
    this.#large?.drop()
    this.onGone?.()
  }

  /** Counts bytes of the body; false when it has more than are taken. */
  arrived(bytes: number, most: number): boolean {
    return (this.#pieces?.bytes ?? 0) + bytes <= most
  }

  /** Keeps a copy of a piece of the body. */
  keepPiece(piece: ArrayBuffer): void {
    this.#pieces ??= { list: [], bytes: 0 }
    this.#pieces.list.push(Buffer.from(new Uint8Array(piece)))
    this.#pieces.bytes += piece.byteLength
  }

  /** The body, of which the last piece came. */
  wholeBody(last: ArrayBuffer): ArrayBuffer | Buffer {
    if (this.#pieces === null) return last
    const body = Buffer.concat([...this.#pieces.list, new Uint8Array(last)])
    this.#pieces = null
    return body
  }

  /** Lets go of what came of the body. */
  dropPieces(): void {
    this.#pieces = null
  }

  /** To be called when the request is answered by others. */
  leave(status: number): void {
    this.#end(status)
  }

  answer(body: string | Uint8Array, status: number): void {
    if (this.gone) return
    if ((this.corked || this.isBegun) && this.#isFlood()) {
      // It is a refusal that took no work. Its bytes may lie in memory that the next answer reuses, so they are copied.
      this.answerLater(typeof body === 'string' ? body : Uint8Array.from(body), status)
      return
    }
    if (body.length > LARGE_BYTES && !this.#parts.metrics.draining) {
      this.#sendLarge(body, status)
      return
    }
    if (this.corked ? this.#write(body, status) : this.#writeCorked(body, status)) this.#end(status)
    else this.#keepRest(body, status)
  }

  /**
   * Delays a refusal to a client that keeps asking after refusals. Otherwise a client that sends its next request as
   * soon as it has an answer would keep the front thread busy with refusals.
   */
  answerLater(body: string | Uint8Array, status: number): void {
    this.corked = false
    this.isBegun = false
    holdBack(() => this.answer(body, status))
  }

  /** Takes bytes from the memory of the caller until the end of the exchange; false when it has too few left. */
  hold(bytes: number): boolean {
    if (this.caller?.account.memory.take(bytes) === false) return false
    this.#held += bytes
    return true
  }

  /** Answers that the caller has too much memory in use for so many bytes more. */
  refuseMemory(bytes: number, id: string): void {
    const account = this.caller?.account
    if (account === undefined || this.gone) return
    account.refusedMemory()
    const { text, status } = errorAnswer(id, account.memory.refusal(bytes))
    this.answer(text, status)
  }

  givenAt(block: BlockReference): void {
    if (this.#block === null || block.number < this.#block.number) this.#block = block
  }

  beginStream(): AnswerStream {
    const response = this.response
    response.cork(() => this.#writeHead(200))
    const stream = new PacedStream(this.#target(), {
      finish: (last) => {
        response.cork(() => this.#finish(last))
        this.#end(200)
      },
      abort: () => {
        this.#abort()
      },
    })
    this.#large = stream
    return stream
  }

  /** Sends a body piece by piece, round robin with other large answers. While the node stops, bodies are sent whole. */
  #sendLarge(body: string | Uint8Array, status: number): void {
    const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body
    if (!this.hold(bytes.length)) {
      this.refuseMemory(bytes.length, idOfAnswer(body))
      return
    }
    this.response.cork(() => this.#writeHead(status))
    this.#large = new PacedBody(this.#target(), bytes, () => this.#end(status))
  }

  /** Queues what the socket did not take of a body. The connection ends when the client's memory is used up. */
  #keepRest(body: string | Uint8Array, status: number): void {
    const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body
    const rest = bytes.subarray(this.response.getWriteOffset())
    if (!this.hold(rest.length)) {
      this.caller?.account.refusedMemory()
      this.#abort()
      return
    }
    this.#large = new PacedBody(this.#target(), rest, () => this.#end(status), bytes.length)
  }

  /** Ends the connection in the middle of an answer. */
  #abort(): void {
    this.#large?.drop()
    this.#end(null)
    this.response.close()
  }

  #target(): PacedTarget {
    const client = this.caller?.account ?? this
    return {
      response: this.response,
      pacer: this.#parts.pacer,
      client,
      memory: this.caller?.account.memory ?? null,
      isGone: () => this.gone,
      abort: () => this.#abort(),
    }
  }

  /** True when the request was refused and its client keeps asking after refusals. */
  #isFlood(): boolean {
    const account = this.caller?.account
    return (
      account?.isFlooding === true && account.refused !== this.#refusedBefore && !this.#parts.metrics.draining
    )
  }

  /**
   * Writes as much of an answer as the socket takes. The rest is not left to the library, whose buffer has no limit.
   * @returns whether the socket took everything
   */
  #write(body: string | Uint8Array, status: number): boolean {
    this.#writeHead(status)
    if (body.length === 0 || this.#parts.metrics.draining) {
      this.#finish(body)
      return true
    }
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    return this.response.tryEnd(body, length)[1]
  }

  #writeCorked(body: string | Uint8Array, status: number): boolean {
    let isTaken = false
    this.response.cork(() => {
      isTaken = this.#write(body, status)
    })
    return isTaken
  }

  /** Sends what is left; while the node stops the connection ends with it. */
  #finish(body: string | Uint8Array): void {
    const { draining } = this.#parts.metrics
    if (draining) this.#parts.metrics.ending()
    this.response.end(body, draining)
  }

  #end(status: number | null): void {
    this.gone = true
    if (this.#held > 0) this.caller?.account.memory.release(this.#held)
    this.#held = 0
    this.caller?.end()
    this.#parts.metrics.ended()
    this.trace?.end(status)
  }

  #writeHead(status: number): void {
    const { response } = this
    const { headers, metrics } = this.#parts
    metrics.answered(status)
    if (status !== 200) response.writeStatus(STATUS_LINES[status] ?? '500 Internal Server Error')
    writeAllowedOrigin(response, this.#allowedOrigin)
    if (status === 429)
      writeLimitHeaders(response, this.caller?.account ?? null, this.#allowedOrigin !== null)
    else if (status === 503) writeRetryAfter(response, this.#allowedOrigin !== null)
    if (this.requestId !== null) response.writeHeader('X-Request-Id', this.requestId)
    if (headers !== null) headers.write(response, this.#block, this.#allowedOrigin !== null)
    response.writeHeader(CONTENT_TYPE, APPLICATION_JSON)
  }
}
