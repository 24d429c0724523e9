import { JsonRpcError } from '../support/nodeProcess.ts'
import type { Ask } from './nodeLoad.ts'

interface BatchAnswer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/**
 * Asks a node several things in one body.
 * @returns the results in the order of the requests
 * @throws JsonRpcError for the first that failed
 */
export async function askBatch(url: string, asks: readonly Ask[]): Promise<readonly unknown[]> {
  const body = asks.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answers = (await response.json()) as readonly BatchAnswer[]
  return answers
    .toSorted((a, b) => a.id - b.id)
    .map(({ result, error }) => {
      if (error !== undefined) throw new JsonRpcError(error)
      return result
    })
}
