import type { HttpResponse } from 'uWebSockets.js'
import type { Caller } from '../gateway/access/caller.ts'
import type { AnswerStream, Exchange } from '../gateway/exchange.ts'
import { writeLimitHeaders } from './limitHeaders.ts'

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

/** One HTTP request. */
export class HttpExchange implements Exchange {
  onGone: (() => void) | undefined
  gone = false
  readonly #response: HttpResponse
  readonly #corsOrigin: string | null
  readonly #caller: Caller | null
  /** Whether the library's own callback is still on the stack: what is written then is corked already. */
  corked = false

  /** @param caller whose running requests it is one of; null for one that was not let in */
  constructor(response: HttpResponse, corsOrigin: string | null, caller: Caller | null) {
    this.#response = response
    this.#corsOrigin = corsOrigin
    this.#caller = caller
    this.onGone = undefined
    caller?.begin()
    response.onAborted(() => {
      if (!this.gone) this.leave()
      this.onGone?.()
    })
  }

  /** To be called when the gateway is not to answer any more. */
  leave(): void {
    this.gone = true
    this.#caller?.end()
  }

  answer(body: string | Uint8Array, status: number): void {
    if (this.gone) return
    this.leave()
    if (this.corked) this.#write(body, status)
    else this.#response.cork(() => this.#write(body, status))
  }

  beginStream(): AnswerStream {
    const response = this.#response
    const stream: AnswerStream = {
      write: (piece) => {
        if (this.gone) return true
        let kept = true
        response.cork(() => {
          kept = response.write(piece)
        })
        return kept
      },
      end: (piece) => {
        if (this.gone) return
        this.leave()
        response.cork(() => response.end(piece))
      },
      abort: () => {
        if (this.gone) return
        this.leave()
        response.close()
      },
      onWritable: undefined,
    }
    response.onWritable(() => {
      stream.onWritable?.()
      return true
    })
    response.cork(() => this.#writeHead(200))
    return stream
  }

  #write(body: string | Uint8Array, status: number): void {
    this.#writeHead(status)
    this.#response.end(body)
  }

  #writeHead(status: number): void {
    const response = this.#response
    if (status !== 200) response.writeStatus(STATUS_LINES[status] ?? '500 Internal Server Error')
    if (this.#corsOrigin !== null) response.writeHeader('Access-Control-Allow-Origin', this.#corsOrigin)
    if (status === 429) writeLimitHeaders(response, this.#caller?.account ?? null, this.#corsOrigin !== null)
    response.writeHeader('Content-Type', 'application/json')
  }
}
