import type { HttpResponse } from 'uWebSockets.js'
import type { AnswerStream, Exchange } from '../gateway/exchange.ts'

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

/** Seconds that a client should wait after 429. */
const RETRY_AFTER_SECONDS = '1'

/** One HTTP request. */
export class HttpExchange implements Exchange {
  onGone: (() => void) | undefined
  gone = false
  readonly #response: HttpResponse
  readonly #corsOrigin: string | null
  /** Whether the library's own callback is still on the stack: what is written then is corked already. */
  corked = false

  constructor(response: HttpResponse, corsOrigin: string | null) {
    this.#response = response
    this.#corsOrigin = corsOrigin
    this.onGone = undefined
    response.onAborted(() => {
      this.gone = true
      this.onGone?.()
    })
  }

  answer(body: string | Uint8Array, status: number): void {
    if (this.gone) return
    this.gone = true
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
        this.gone = true
        response.cork(() => response.end(piece))
      },
      abort: () => {
        if (this.gone) return
        this.gone = true
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
    if (status === 429) response.writeHeader('Retry-After', RETRY_AFTER_SECONDS)
    if (this.#corsOrigin !== null) response.writeHeader('Access-Control-Allow-Origin', this.#corsOrigin)
    response.writeHeader('Content-Type', 'application/json')
  }
}
