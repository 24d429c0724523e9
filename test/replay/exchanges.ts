import { readJsonLines } from '../support/jsonLines.ts'

/** One recorded request with its answer, or a notification. */
export interface Exchange {
  readonly step: number
  readonly note: string
  readonly transport: 'http' | 'ws'
  /** JSON object or array, raw text, or a description of a very long text; null of a notification. */
  readonly request: unknown
  readonly status: number | null
  readonly response: unknown
  /** How the request was sent where that is the test. */
  readonly http?: { readonly method: string; readonly path: string; readonly headers: Record<string, string> }
  /** The best block before the request. */
  readonly head?: { readonly number: number; readonly hash: string }
}

/** The exchanges of a recording, plain or compressed; its first line holds the node's options. */
export function readExchanges(path: string): Exchange[] {
  return readJsonLines(path).slice(1) as Exchange[]
}

/** The text that was sent; null when only a description of it is recorded. */
export function requestText(exchange: Exchange): string | null {
  const { request } = exchange
  if (typeof request === 'string') return request
  if (request === null || (typeof request === 'object' && 'truncated' in request)) return null
  return JSON.stringify(request)
}

/** Method names of the request; empty when it is no request object. */
export function requestMethods(exchange: Exchange): string[] {
  const request = parsedRequest(exchange)
  const elements = Array.isArray(request) ? request : [request]
  return elements.flatMap((element: unknown) => {
    const method = (element as { method?: unknown } | null)?.method
    return typeof method === 'string' ? [method] : []
  })
}

/** The request as JSON value; null when it is text that is no JSON. */
export function parsedRequest({ request }: Exchange): unknown {
  if (typeof request !== 'string') return request
  try {
    return JSON.parse(request) as unknown
  } catch {
    return null
  }
}
