import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { JsonRpcError } from '../../test/support/nodeProcess.ts'

const ATTEMPTS = 5
const PAUSE_MS = 500
/** A loaded machine may take long; a node that is silent for so long is reported. */
const SILENCE_MS = 60_000

/**
 * Asks a node on a connection of its own, and again where no answer came. `fetch` keeps connections: while this process
 * makes requests for the generator its timers stand still, the node closes what is idle, and the next question on such
 * a connection fails without an answer ("fetch failed"). Only for what may happen twice.
 * @throws JsonRpcError that the node answered
 * @throws Error that says what was asked, where no attempt got an answer
 */
export async function askAgain<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  return again(method, url, () => askOnce<T>(url, method, params))
}

/** Text at an address, asked for on a connection of its own, and again where no answer came. */
export async function readAgain(url: URL): Promise<string> {
  return again(`GET ${url.pathname}`, url.host, () => exchange(url, 'GET', null))
}

async function again<T>(what: string, where: string, ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof JsonRpcError) throw error
      if (attempt === ATTEMPTS) {
        throw new Error(`${what} got no answer from ${where} in ${ATTEMPTS} attempts`, { cause: error })
      }
      await sleep(PAUSE_MS)
    }
  }
}

async function askOnce<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  return resultIn<T>(await exchange(new URL(url), 'POST', { jsonrpc: '2.0', id: 1, method, params }))
}

function exchange(url: URL, method: 'GET' | 'POST', body: object | null): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(url, { method, headers, agent: false, timeout: SILENCE_MS }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.once('error', reject)
      response.once('end', () => resolve(text))
    })
    sent.once('timeout', () => sent.destroy(new Error(`silent for ${SILENCE_MS / 1000} s`)))
    sent.once('error', reject)
    sent.end(body === null ? undefined : JSON.stringify(body))
  })
}

function resultIn<T>(text: string): T {
  const answer = JSON.parse(text) as { result: T; error?: { code: number; message: string; data?: unknown } }
  if (answer.error !== undefined) throw new JsonRpcError(answer.error)
  return answer.result
}
