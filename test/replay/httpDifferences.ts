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
    what: '200 for every answer but to what is no JSON or no request; the reference says 400 for -32600, -32602 and -32700, and closes every connection',
    why: 'decisions.md D23; decisions.md D24: keep-alive',
    applies: isOther,
    matches: isOther,
  },
  {
    methods: 'HTTP',
    what: 'other verbs than POST are 405, not 501; `GET /` is a page; OPTIONS is answered where CORS is configured',
    why: 'decisions.md D23: 405 not POST',
    applies: isOther,
    matches: ({ http }, { status }) => http.method !== 'POST' && [200, 204, 405].includes(status),
  },
  {
    methods: 'HTTP',
    what: 'no content type, `text/json`, and letters of any case are taken',
    why: 'decisions.md D23: 415 wrong content type',
    applies: isOther,
    matches: ({ http, status }, found) =>
      status === 415 &&
      found.status === 200 &&
      /^$|^(application\/json(-rpc)?|text\/json)$/i.test(http.headers['content-type'] ?? ''),
  },
  {
    methods: 'HTTP',
    what: 'answers are not compressed',
    why: 'decisions.md D24: compression is left to what stands before the node',
    applies: isOther,
    matches: ({ http }, { status }) => http.headers['accept-encoding'] !== undefined && status === 200,
  },
  {
    methods: 'HTTP',
    what: 'a refused Host is told which option names those that are taken; the reference sends nothing with its 400',
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
    what: 'any Host is taken unless `allowedHosts` names some; a foreign Origin gets no CORS header and no WebSocket instead of a 400, and Referer is not looked at',
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
