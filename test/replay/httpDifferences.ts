import type { AskedAnswer } from '../support/ask.ts'
import type { Verdict } from './compare.ts'
import type { ListedDifference } from './differences.ts'
import type { Exchange } from './exchanges.ts'

/** How answers over HTTP differ, whatever they are about. Decided by {@link compareHttp}. */
interface HttpDifference extends ListedDifference {
  readonly matches: (exchange: Required<Pick<Exchange, 'http'>> & Exchange, found: AskedAnswer) => boolean
}

const isOther = () => false

/** What HTTP itself does differently on purpose. */
export const HTTP_DIFFERENCES: readonly HttpDifference[] = [
  {
    methods: 'HTTP',
    topic: 'http',
    what: 'status 200 for every answer except to invalid JSON and invalid requests; the reference answers -32600, -32602 and -32700 with status 400, and closes every connection',
    why: 'decisions.md D23; decisions.md D24: keep-alive',
    applies: isOther,
    matches: isOther,
  },
  {
    methods: 'HTTP',
    topic: 'http',
    what: 'methods other than POST get status 405, not 501; `GET /` is a page; OPTIONS is answered where CORS is configured',
    why: 'decisions.md D23: 405 not POST',
    applies: isOther,
    matches: ({ http }, { status }) => http.method !== 'POST' && [200, 204, 405].includes(status),
  },
  {
    methods: 'HTTP',
    topic: 'http',
    what: 'requests without a content type, with `text/json`, and in any letter case are accepted',
    why: 'decisions.md D23: 415 wrong content type',
    applies: isOther,
    matches: ({ http, status }, found) =>
      status === 415 &&
      found.status === 200 &&
      /^$|^(application\/json(-rpc)?|text\/json)$/i.test(http.headers['content-type'] ?? ''),
  },
  {
    methods: 'HTTP',
    topic: 'operations',
    what: 'responses are not compressed',
    why: 'decisions.md D24: compression is left to what stands before the node',
    applies: isOther,
    matches: ({ http }, { status }) => http.headers['accept-encoding'] !== undefined && status === 200,
  },
  {
    methods: 'HTTP',
    topic: 'operations',
    what: 'the response to a refused Host names the option that allows hosts; the reference sends an empty 400',
    why: 'decisions.md D59: names the option',
    applies: isOther,
    matches: ({ http, status }, found) =>
      status === 400 &&
      found.status === 400 &&
      http.headers['host'] !== undefined &&
      /--allowed-hosts/.test(found.text),
  },
  {
    methods: 'HTTP',
    topic: 'operations',
    what: 'any Host is accepted unless `allowedHosts` is set; a foreign Origin gets no CORS header and no WebSocket instead of a 400, and Referer is ignored',
    why: 'decisions.md D59: no CORS header, no preflight',
    applies: isOther,
    matches: ({ http: { headers }, status }, found) =>
      status === 400 &&
      found.status === 200 &&
      [headers['host'], headers['origin'], headers['referer']].some((value) => value !== undefined),
  },
]

/** Compares status and body. */
export function compareHttp(exchange: Exchange, found: AskedAnswer): Verdict {
  const { http, status, response } = exchange
  const expected = response === '' ? '' : JSON.stringify(response)
  if (found.status === status && found.text === expected) return { kind: 'equal' }
  const difference =
    http === undefined
      ? undefined
      : HTTP_DIFFERENCES.find(({ matches }) => matches({ ...exchange, http }, found))
  if (difference !== undefined) return { kind: 'listed', difference }
  return {
    kind: 'unlisted',
    expected: `HTTP ${status} ${expected}`,
    found: `HTTP ${found.status} ${found.text}`,
  }
}
