import { Agent, request } from 'node:http'
import { isJsonContent } from '../../src/front/checks.ts'
import type { Chance } from './chance.ts'

/** Longest wait for an answer; the longest time limit of a lane is a minute. */
export const ANSWER_LIMIT_MS = 90_000

/** What came back over HTTP. */
export interface HttpAnswer {
  readonly status: number
  readonly text: string
}

/** Bodies over kept connections. */
export class HttpTraffic {
  readonly #url: URL
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 })

  constructor(url: string) {
    this.#url = new URL(url)
  }

  /** @throws Error when the connection ends without an answer, or none comes in time */
  send(chance: Chance, body: Buffer): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const message = request(
        this.#url,
        {
          method: 'POST',
          agent: chance.happens(0.01) ? false : this.#agent,
          timeout: ANSWER_LIMIT_MS,
          path: chance.happens(0.95)
            ? '/'
            : chance.pick(['/x', '//', '/%00', '/?a=1', `/${'k'.repeat(900)}`]),
          headers: oddHeaders(chance, body),
        },
        (response) => {
          const parts: Buffer[] = []
          response.on('data', (part: Buffer) => parts.push(part))
          response.once('error', reject)
          response.once('end', () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }),
          )
        },
      )
      message.once('timeout', () => message.destroy(new Error('no answer in time')))
      message.once('error', (error: NodeJS.ErrnoException) => {
        // The node refuses by the headers and closes; a long body is then still on its way.
        const isCut = error.code === 'EPIPE' || error.code === 'ECONNRESET'
        if (isCut && !isJsonContent(String(message.getHeader('content-type') ?? ''))) {
          resolve({ status: 415, text: '' })
          return
        }
        reject(new Error(`${error.message}: ${JSON.stringify(message.getHeaders())}`, { cause: error }))
      })
      // Without a length the body goes out in chunks.
      if (body.length > 2 && !message.hasHeader('content-length')) {
        const middle = chance.below(body.length)
        message.write(body.subarray(0, middle))
        message.end(body.subarray(middle))
      } else message.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

function oddHeaders(chance: Chance, body: Buffer): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  if (chance.happens(0.85)) headers['content-type'] = 'application/json'
  else if (chance.happens(0.8)) {
    headers['content-type'] = chance.pick([
      ...['application/json; charset=utf-8', 'APPLICATION/JSON', 'text/json', 'application/json-rpc'],
      ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ';', 'json'],
    ])
  }
  if (chance.happens(0.9)) headers['content-length'] = String(body.length)
  if (chance.happens(0.05)) headers['authorization'] = chance.pick(['Basic eDp5', 'Bearer x', ''])
  if (chance.happens(0.05)) headers['origin'] = chance.pick(['null', 'http://a', `http://${'a'.repeat(500)}`])
  if (chance.happens(0.03)) headers['accept-encoding'] = chance.pick(['gzip', '*', 'br;q=0'])
  if (chance.happens(0.03)) headers[`x-${chance.hex(4)}`] = chance.hex(chance.pick([1, 500, 2000]))
  if (chance.happens(0.02)) headers['x-twice'] = ['1', '2']
  return headers
}
