import { setTimeout as sleep } from 'node:timers/promises'
import { askNode, JsonRpcError } from '../../support/nodeProcess.ts'

/** A member that refuses because of the fleet, for the moment. */
const AWAY = -32_000
const PAUSE_MS = 50
const ATTEMPTS = 600
/** Requests of one batch: a node takes a hundred. */
const BATCH = 100

/** Asks a member until it is not held by a round, and serves. @throws JsonRpcError for any other refusal */
export async function askPatiently<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await askNode<T>(url, method, params)
    } catch (error) {
      if (!(error instanceof JsonRpcError) || error.code !== AWAY || attempt === ATTEMPTS) throw error
    }
    await sleep(PAUSE_MS)
  }
}

/**
 * The same for one method with many parameters, in batches.
 * @returns results in the order of the parameters
 */
export async function askAllPatiently<T>(
  url: string,
  method: string,
  calls: readonly (readonly unknown[])[],
): Promise<T[]> {
  const results: T[] = []
  for (let first = 0; first < calls.length; first += BATCH)
    results.push(...(await askBatch<T>(url, method, calls.slice(first, first + BATCH))))
  return results
}

async function askBatch<T>(
  url: string,
  method: string,
  calls: readonly (readonly unknown[])[],
): Promise<T[]> {
  const results = new Map<number, T>()
  for (let attempt = 1; ; attempt += 1) {
    const open = calls.flatMap((params, id) =>
      results.has(id) ? [] : [{ jsonrpc: '2.0', id, method, params }],
    )
    if (open.length === 0) return calls.map((_, id) => results.get(id) as T)
    for (const { id, result, error } of await post<T>(url, open)) {
      if (error === undefined) results.set(id, result as T)
      else if (error.code !== AWAY || attempt === ATTEMPTS) throw new JsonRpcError(error)
    }
    if (results.size < calls.length) await sleep(PAUSE_MS)
  }
}

interface BatchAnswer<T> {
  readonly id: number
  readonly result?: T
  readonly error?: { readonly code: number; readonly message: string }
}

async function post<T>(url: string, requests: readonly unknown[]): Promise<readonly BatchAnswer<T>[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(requests),
  })
  const answers = (await response.json()) as readonly BatchAnswer<T>[] | BatchAnswer<T>
  if (Array.isArray(answers)) return answers as readonly BatchAnswer<T>[]
  const { error } = answers as BatchAnswer<T>
  throw new JsonRpcError(error ?? { code: 0, message: 'no answer to a batch' })
}
