import type { HttpResponse } from 'uWebSockets.js'
import type { Caller } from '../gateway/access/caller.ts'
import type { AnswerStream, Exchange } from '../gateway/exchange.ts'
import type { ExchangeTrace } from '../observe/tracing.ts'
import type { FrontTally } from './frontTally.ts'
import { APPLICATION_JSON, CONTENT_TYPE } from './headerBytes.ts'
import { writeLimitHeaders } from './limitHeaders.ts'
import { PacedBody, PacedStream, type PacedTarget } from './pacedBody.ts'
import { PIECE_BYTES, type SendTurns } from './sendTurns.ts'

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
  413: '413 Payload Too Large',
  415: '415 Unsupported Media Type',
  429: '429 Too Many Requests',
  503: '503 Service Unavailable',
}

/**
 * How long refusals are kept back from a client that goes on and on after it was refused, milliseconds. Whoever sends
 * the next request as soon as it has the answer would else have the front thread refuse instead of answer others.
 */
const HELD_BACK = 200

/** Bytes or characters of a body that is not sent as one. */
const LARGE = 2 * PIECE_BYTES

/** One HTTP request. */
export class HttpExchange implements Exchange {
  onGone: (() => void) | undefined
  gone = false
  readonly requestId: string | null
  readonly trace: ExchangeTrace | null
  readonly #response: HttpResponse
  readonly #corsOrigin: string | null
  readonly #caller: Caller | null
  readonly #tally: FrontTally
  readonly #turns: SendTurns
  /** What is sent in pieces. */
  #large: PacedBody | PacedStream | undefined
  /** Refusals of the caller before this request. */
  readonly #refusedBefore: number
  /** Whether the library's own callback is still on the stack: what is written then is corked already. */
  corked = false

  /**
   * @param caller whose running requests it is one of; null for one that was not let in
   * @param turns in which large answers are sent
   * @param requestId name that the client gave the exchange; it is echoed
   */
  constructor(
    response: HttpResponse,
    corsOrigin: string | null,
    caller: Caller | null,
    tally: FrontTally,
    turns: SendTurns,
    requestId: string | null,
    trace: ExchangeTrace | null,
  ) {
    this.#response = response
    this.#corsOrigin = corsOrigin
    this.#caller = caller
    this.#tally = tally
    this.#turns = turns
    this.requestId = requestId
    this.trace = trace
    this.onGone = undefined
    this.#refusedBefore = caller?.account.refused ?? 0
    tally.began()
    if (caller !== null) {
      caller.begin()
      turns.asked(caller.account)
    }
  }

  /** Waits for the client to go away. To be called where the library's own callback ends before the answer. */
  watch(): void {
    this.#response.onAborted(() => {
      if (!this.gone) this.#end(null)
      this.#large?.drop()
      this.onGone?.()
    })
  }

  /** To be called when the request is answered by others. */
  leave(status: number): void {
    this.#end(status)
  }

  answer(body: string | Uint8Array, status: number): void {
    if (this.gone) return
    if (this.corked && this.#isFlood()) {
      // What is refused is refused while the library calls: an answer now is not one that took its time. It may be one
      // that others were refused before, in memory that the next answer takes.
      const kept = typeof body === 'string' ? body : Uint8Array.from(body)
      setTimeout(() => this.answer(kept, status), HELD_BACK)
      return
    }
    if (body.length > LARGE && !this.#tally.draining) {
      this.#sendLarge(body, status)
      return
    }
    if (this.corked) this.#write(body, status)
    else this.#response.cork(() => this.#write(body, status))
    this.#end(status)
  }

  beginStream(): AnswerStream {
    const response = this.#response
    response.cork(() => this.#writeHead(200))
    const stream = new PacedStream(this.#target(), {
      finish: (last) => {
        response.cork(() => this.#finish(last))
        this.#end(200)
      },
      abort: () => {
        this.#end(null)
        response.close()
      },
    })
    this.#large = stream
    return stream
  }

  /** Sends a body in turns with others; at the end of the node's life as one, so that the connection ends with it. */
  #sendLarge(body: string | Uint8Array, status: number): void {
    this.#response.cork(() => this.#writeHead(status))
    const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body
    this.#large = new PacedBody(this.#target(), bytes, () => this.#end(status))
  }

  #target(): PacedTarget {
    const owner = this.#caller?.account ?? this
    return { response: this.#response, turns: this.#turns, owner, isGone: () => this.gone }
  }

  /** Whether the request was refused to a client that does not take no for an answer. */
  #isFlood(): boolean {
    const account = this.#caller?.account
    return account?.isFlooding === true && account.refused !== this.#refusedBefore && !this.#tally.draining
  }

  #write(body: string | Uint8Array, status: number): void {
    this.#writeHead(status)
    this.#finish(body)
  }

  /** Sends what is left; while the node stops the connection ends with it. */
  #finish(body: string | Uint8Array): void {
    const { draining } = this.#tally
    if (draining) this.#tally.ending()
    this.#response.end(body, draining)
  }

  #end(status: number | null): void {
    this.gone = true
    this.#caller?.end()
    this.#tally.ended()
    this.trace?.end(status)
  }

  #writeHead(status: number): void {
    const response = this.#response
    this.#tally.answered(status)
    if (status !== 200) response.writeStatus(STATUS_LINES[status] ?? '500 Internal Server Error')
    if (this.#corsOrigin !== null) response.writeHeader('Access-Control-Allow-Origin', this.#corsOrigin)
    if (status === 429) writeLimitHeaders(response, this.#caller?.account ?? null, this.#corsOrigin !== null)
    if (this.requestId !== null) response.writeHeader('X-Request-Id', this.requestId)
    response.writeHeader(CONTENT_TYPE, APPLICATION_JSON)
  }
}
