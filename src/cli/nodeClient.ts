import type { OptionTable } from '../config/option.ts'
import type { AskNode } from '../mining/soloMiner.ts'

/** Timeout of a request to a node, milliseconds. */
const ANSWER_TIME = 10_000

/** The option of commands that talk to a running node. */
export const NODE_URL = {
  url: {
    kind: 'text',
    group: 'Command',
    placeholder: 'URL',
    pattern: /^https?:\/\//,
    default: 'http://127.0.0.1:4444',
    doc: 'JSON-RPC of the node',
  },
} as const satisfies OptionTable

/** Calls the methods of a running node; rejects with a message for the user. */
export function createAsk(url: string): AskNode {
  return async (method, params) => {
    const response = await reach(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const answer = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }
}

/** The metrics of a running node, as Prometheus reads them. @throws Error when it does not answer */
export async function readMetrics(url: string): Promise<string> {
  const page = new URL('/metrics', url).href
  const response = await reach(page, {})
  if (!response.ok) throw new Error(`${page} answers with status ${response.status}`)
  return response.text()
}

function reach(url: string, request: RequestInit): Promise<Response> {
  return fetch(url, { ...request, signal: AbortSignal.timeout(ANSWER_TIME) }).catch((error: unknown) => {
    throw new Error(`${url} does not answer: ${causeOf(error)}`, { cause: error })
  })
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
