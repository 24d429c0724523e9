import { request } from 'node:http'
import type { AskedAnswer } from '../support/ask.ts'
import type { Exchange } from './exchanges.ts'

/** Sends a recorded request with its verb, path and headers. */
export function askHttp(port: number, { http, request: body }: Exchange): Promise<AskedAnswer> {
  const { method = 'POST', path = '/', headers = {} } = http ?? {}
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => {
        resolve({ text: Buffer.concat(parts).toString('utf8'), status: response.statusCode ?? 0 })
      })
    })
    asked.on('error', reject)
    asked.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
}
