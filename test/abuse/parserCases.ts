import type { RawOutcome } from './sendRaw.ts'

/** What RFC 9112 (and RFC 9110 where named) wants of a server that gets the bytes. */
export type Wanted =
  /** A success for every request. */
  | 'answer'
  /** An error or the end of the connection, and nothing that is taken for a request. */
  | 'refuse'
  /** Both are allowed. */
  | 'either'

/** Bytes that a client may send, and what they have to lead to. */
export interface ParserCase {
  readonly name: string
  /** Pieces that are written one after the other, with a pause between them; one character is one byte. */
  readonly pieces: readonly string[]
  readonly wanted: Wanted
  /** Requests that the bytes hold when they are answered. */
  readonly requests: number
  /** Section of RFC 9112 unless another is named. */
  readonly source: string
}

const BODY = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const HOST = 'Host: localhost\r\n'
const TYPE = 'Content-Type: application/json\r\n'
const LENGTH = `Content-Length: ${BODY.length}\r\n`
const CHUNKED = 'Transfer-Encoding: chunked\r\n'
const CHUNK = `${BODY.length.toString(16)}\r\n${BODY}\r\n`
const END = '0\r\n\r\n'

/** A POST with these header lines and this body. */
function post(headers: string, body: string): string {
  return `POST / HTTP/1.1\r\n${HOST}${TYPE}${headers}\r\n${body}`
}

const WHOLE = post(LENGTH, BODY)

function one(name: string, bytes: string, wanted: Wanted, source: string, requests = 1): ParserCase {
  return { name, pieces: [bytes], wanted, requests, source }
}

/** What names of the cases below begin with, before the byte. */
export const CUT = 'request cut behind byte'

/** A request line that arrives in two pieces, cut behind each of its first bytes. */
const CUT_REQUEST_LINES: readonly ParserCase[] = Array.from({ length: 20 }, (_, index) => ({
  name: `${CUT} ${index + 1}`,
  pieces: [WHOLE.slice(0, index + 1), WHOLE.slice(index + 1)],
  wanted: 'answer',
  requests: 1,
  source: '2.2',
}))

/** Every case; each is sent on a connection of its own. */
export const PARSER_CASES: readonly ParserCase[] = [
  one('plain request', WHOLE, 'answer', '2.1'),
  one('two requests at once', WHOLE + WHOLE, 'answer', '9.3.2', 2),
  ...CUT_REQUEST_LINES,
  one('chunked body', post(CHUNKED, CHUNK + END), 'answer', '7.1'),
  one('chunk extension', post(CHUNKED, `${CHUNK.replace('\r\n', ';a=b\r\n')}${END}`), 'answer', '7.1.1'),
  one('trailers', post(CHUNKED, `${CHUNK}0\r\nX-Trailer: 1\r\n\r\n`), 'answer', '7.1.2'),
  one(
    'trailers before a second request',
    post(CHUNKED, `${CHUNK}0\r\nX-Trailer: 1\r\n\r\n`) + WHOLE,
    'answer',
    '7.1.2',
    2,
  ),
  one('chunk that ends in XX', post(CHUNKED, `${CHUNK.slice(0, -2)}XX${END}`), 'refuse', '7.1'),
  one('chunk size that is no number', post(CHUNKED, `zz\r\n${BODY}\r\n${END}`), 'refuse', '7.1'),
  one('chunk size with 0x', post(CHUNKED, `0x${CHUNK}${END}`), 'refuse', '7.1'),
  one('two different Content-Lengths', post(`${LENGTH}Content-Length: 5\r\n`, BODY), 'refuse', '6.3'),
  one('two equal Content-Lengths', post(LENGTH + LENGTH, BODY), 'either', '6.3'),
  one(
    'Content-Length with a comma',
    post(`Content-Length: ${BODY.length}, ${BODY.length}\r\n`, BODY),
    'either',
    '6.3',
  ),
  one('Content-Length: 0x2f', post('Content-Length: 0x2f\r\n', BODY), 'refuse', '6.3'),
  one('empty Content-Length', post('Content-Length:\r\n', BODY), 'refuse', '6.3'),
  one('negative Content-Length', post('Content-Length: -5\r\n', BODY), 'refuse', '6.3'),
  one('Content-Length with a sign', post(`Content-Length: +${BODY.length}\r\n`, BODY), 'refuse', '6.3'),
  one('Content-Length and Transfer-Encoding', post(LENGTH + CHUNKED, CHUNK + END), 'either', '6.1'),
  one('Transfer-Encoding: xchunked', post('Transfer-Encoding: xchunked\r\n', CHUNK + END), 'refuse', '6.1'),
  one(
    'Transfer-Encoding: chunked, identity',
    post('Transfer-Encoding: chunked, identity\r\n', CHUNK + END),
    'refuse',
    '6.3',
  ),
  one(
    'two Transfer-Encodings',
    post(`${CHUNKED}Transfer-Encoding: identity\r\n`, CHUNK + END),
    'refuse',
    '6.3',
  ),
  one('Transfer-Encoding: Chunked', post('Transfer-Encoding: Chunked\r\n', CHUNK + END), 'answer', '6.1'),
  one(
    'GET with two Content-Lengths',
    `GET /health HTTP/1.1\r\n${HOST}Content-Length: 0\r\nContent-Length: 5\r\n\r\n`,
    'refuse',
    '6.3',
  ),
  one(
    'WebSocket upgrade with two Content-Lengths',
    `GET / HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n`,
    'refuse',
    '6.3',
  ),
  one('two Hosts', WHOLE.replace(HOST, `${HOST}Host: other\r\n`), 'refuse', '3.2'),
  one('no Host', WHOLE.replace(HOST, ''), 'refuse', '3.2'),
  one('folded header', post(`X-Folded: a\r\n b\r\n${LENGTH}`, BODY), 'either', '5.2'),
  one('space before the colon', post(`X-Spaced : a\r\n${LENGTH}`, BODY), 'refuse', '5.1'),
  one('header without a colon', post(`X-Colonless\r\n${LENGTH}`, BODY), 'refuse', '5'),
  one('empty header name', post(`: a\r\n${LENGTH}`, BODY), 'refuse', '5'),
  one('NUL in a header value', post(`X-Nul: a\0b\r\n${LENGTH}`, BODY), 'either', 'RFC 9110, 5.5'),
  one('bare LF between lines', WHOLE.replaceAll('\r\n', '\n'), 'either', '2.2'),
  one('bare CR in a header value', post(`X-Bare: a\rb\r\n${LENGTH}`, BODY), 'either', '2.2'),
  one(
    'header of 1 MiB',
    post(`X-Long: ${'a'.repeat(2 ** 20)}\r\n${LENGTH}`, BODY),
    'refuse',
    'RFC 9110, 5.4',
  ),
  one('500 headers', post(`${'X-Many: a\r\n'.repeat(500)}${LENGTH}`, BODY), 'either', 'RFC 9110, 5.4'),
  one(
    'HTTP/1.0 keep-alive',
    WHOLE.replace('HTTP/1.1', 'HTTP/1.0').replace(HOST, `${HOST}Connection: keep-alive\r\n`),
    'answer',
    '9.3',
  ),
  one('HTTP/2.0 in the request line', WHOLE.replace('HTTP/1.1', 'HTTP/2.0'), 'either', '2.3'),
  one('absolute-form target', WHOLE.replace('POST /', 'POST http://localhost/'), 'answer', '3.2.2'),
  one('two spaces in the request line', WHOLE.replace('POST /', 'POST  /'), 'either', '3'),
  one('empty line before the request', `\r\n${WHOLE}`, 'answer', '2.2'),
  {
    name: 'Expect: 100-continue',
    pieces: [post(`Expect: 100-continue\r\n${LENGTH}`, ''), BODY],
    wanted: 'answer',
    requests: 1,
    source: 'RFC 9110, 10.1.1',
  },
]

/** Whether a server did what is wanted of it. */
export function isWanted({ wanted, requests }: ParserCase, { statuses }: RawOutcome): boolean {
  const successes = statuses.filter((status) => status < 300).length
  if (wanted === 'answer') return successes === requests && statuses.length === requests
  return wanted === 'either' ? successes <= requests : successes === 0
}

/** An outcome as it stands in the table; bold is what is not wanted. */
export function describeOutcome(one: ParserCase, outcome: RawOutcome): string {
  const { statuses, closed } = outcome
  const text = statuses.length === 0 ? (closed ? 'closed' : 'silent') : statuses.join(' ')
  return isWanted(one, outcome) ? text : `**${text}**`
}
