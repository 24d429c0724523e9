import type { AskedAnswer } from '../support/ask.ts'
import {
  type Answer,
  EMPTY_BATCH,
  LISTED_DIFFERENCES,
  type ListedDifference,
  NOTIFICATIONS,
  OVERSIZED_BATCHES,
  type Pair,
} from './differences.ts'
import { type Exchange, parsedRequest } from './exchanges.ts'

/** What became of an exchange. */
export type Verdict =
  | { readonly kind: 'equal' }
  | { readonly kind: 'listed'; readonly difference: ListedDifference }
  | { readonly kind: 'unlisted'; readonly expected: string; readonly found: string }

/** Compares a recorded answer with the one that was given, order of members included. */
export function compareExchange(exchange: Exchange, asked: AskedAnswer): Verdict {
  const expectedText = JSON.stringify(exchange.response)
  const status = expectedStatus(asked.text)
  if (exchange.transport === 'http' && asked.status !== status) {
    return { kind: 'unlisted', expected: `HTTP ${status}`, found: `HTTP ${asked.status} ${asked.text}` }
  }
  if (asked.text === expectedText || (asked.text === '' && exchange.response === '')) return { kind: 'equal' }
  const found: unknown = asked.text === '' ? '' : JSON.parse(asked.text)
  if (
    JSON.stringify(found) === expectedText &&
    asked.text === String((exchange as { body?: unknown }).body)
  ) {
    return { kind: 'equal' }
  }
  if (asked.text === '' && isNotification(exchange)) return { kind: 'listed', difference: NOTIFICATIONS }
  if (isOversizedBatch(exchange, found)) return { kind: 'listed', difference: OVERSIZED_BATCHES }
  if (isEmptyBatch(exchange, found)) return { kind: 'listed', difference: EMPTY_BATCH }
  const pairs = pairUp(exchange, exchange.response, found)
  let listed: ListedDifference | undefined
  for (const pair of pairs ?? []) {
    if (textInOrder(pair.method, pair.expected) === textInOrder(pair.method, pair.found)) continue
    const difference = LISTED_DIFFERENCES.find(({ applies }) => applies(pair))
    if (difference === undefined) return { kind: 'unlisted', expected: expectedText, found: asked.text }
    listed = difference
  }
  if (pairs === null) return { kind: 'unlisted', expected: expectedText, found: asked.text }
  return listed === undefined ? { kind: 'equal' } : { kind: 'listed', difference: listed }
}

/** Methods whose lists the reference writes in the order of a hash table. */
const WITHOUT_ORDER =
  /^(eth_pendingTransactions|eth_accounts|personal_listAccounts|txpool_(content|inspect))$/

/** Text to be compared; lists and maps without an order of their own are sorted. */
function textInOrder(method: string, answer: Answer): string {
  if (!WITHOUT_ORDER.test(method)) return JSON.stringify(answer)
  return JSON.stringify(answer, (_key, value: unknown) => {
    if (Array.isArray(value)) {
      return [...value].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    }
    return isBySender(value) ? Object.fromEntries(Object.entries(value).sort()) : value
  })
}

/** Whether the keys are addresses in hex digits. */
function isBySender(value: unknown): value is Record<string, unknown> {
  return isAnswer(value) && Object.keys(value).every((key) => /^[0-9a-f]{40}$/.test(key))
}

/** 200 for every answer but to what is no JSON or no request (decisions.md D23). */
function expectedStatus(text: string): number {
  if (text === '') return 200
  const answer = JSON.parse(text) as Answer
  const code = answer.error?.code
  if (code === -32700) return 400
  return code === -32600 && /^invalid request$/i.test(answer.error?.message ?? '') ? 400 : 200
}

/** Whether the request, or every request of the batch, has no id. */
function isNotification(exchange: Exchange): boolean {
  const request = parsedRequest(exchange)
  return (Array.isArray(request) ? request : [request]).every((element: unknown) => {
    const { method, id } = (element ?? {}) as { method?: unknown; id?: unknown }
    return typeof method === 'string' && (id === undefined || id === null)
  })
}

/** Whether each request of the batch has the error with its id that the reference gives to the whole. */
function isOversizedBatch(exchange: Exchange, found: unknown): boolean {
  const request = parsedRequest(exchange)
  const { response } = exchange
  if (!isAnswer(response) || !/^Cannot dispatch batch requests/.test(response.error?.message ?? ''))
    return false
  if (!Array.isArray(request) || !Array.isArray(found) || request.length !== found.length) return false
  return found.every((answer: unknown, i) => {
    const { id } = request[i] as { id?: unknown }
    return (
      isAnswer(answer) && answer.id === id && JSON.stringify(answer.error) === JSON.stringify(response.error)
    )
  })
}

/** Whether the one answer to a batch without requests is that it is none. */
function isEmptyBatch(exchange: Exchange, found: unknown): boolean {
  const request = parsedRequest(exchange)
  return Array.isArray(request) && request.length === 0 && isAnswer(found) && found.error?.code === -32600
}

/** The answers of single requests side by side; null when their number differs. */
function pairUp(exchange: Exchange, expected: unknown, found: unknown): Pair[] | null {
  const request = parsedRequest(exchange)
  if (!Array.isArray(expected) || !Array.isArray(found)) {
    if (!isAnswer(expected) || !isAnswer(found)) return null
    return [toPair(exchange, request, expected, found)]
  }
  // Notifications have no slot here; the reference leaves a null.
  const answers: unknown[] = expected.filter((answer) => answer !== null)
  if (answers.length !== found.length) return null
  return answers.flatMap((answer, i) => {
    const other: unknown = found[i]
    if (Array.isArray(answer) || !isAnswer(answer) || !isAnswer(other)) return []
    return [toPair(exchange, null, answer, other)]
  })
}

function toPair(exchange: Exchange, request: unknown, expected: Answer, found: Answer): Pair {
  // A notification answers no request: it names its method itself.
  const { method, params } = (request ?? expected) as { method?: unknown; params?: unknown }
  return {
    method: typeof method === 'string' ? method : '',
    params: Array.isArray(params) ? params : [],
    exchange,
    expected,
    found,
  }
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
