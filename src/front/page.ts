import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { isAllowedHost } from './checks.ts'
import { STATUS_LINES } from './httpExchange.ts'
import type { FrontOptions } from './options.ts'
import type { PageFile, PageFiles } from './pageFiles.ts'
import { BAD_HOST, type RouteApp, refuseRequest } from './refuseRequest.ts'
import type { TickBudget } from './tickBudget.ts'

/** The sent form of a file: its bytes and the name of their encoding. */
type Form = readonly [body: Buffer, encoding: string | null]

/** Only files of this server run, and only this server is asked; nothing is ever read as markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** The document names files by version: it is looked at each time, they never are. */
const DOCUMENT_CACHING = 'no-cache'
const PART_CACHING = 'public, max-age=31536000, immutable'

/** The parts that routes of the page need besides its files. */
export interface PageRoutes {
  readonly options: FrontOptions
  readonly loop: TickBudget
}

/**
 * Adds the page: the document at `/` and its files below `/page/`, for GET and HEAD. It is not served under a foreign
 * host name, where its scripts would belong to another site.
 */
export function addPageRoutes(
  app: RouteApp,
  { document, parts }: PageFiles,
  { options, loop }: PageRoutes,
): void {
  const sendDocument = (response: HttpResponse, request: HttpRequest) =>
    sendFile(response, request, document, DOCUMENT_CACHING, loop)
  const sendPart = (response: HttpResponse, request: HttpRequest) => {
    const file = parts.get(request.getUrl())
    if (file === undefined) loop.send(response, () => response.writeStatus(STATUS_LINES[404] ?? '').end())
    else sendFile(response, request, file, PART_CACHING, loop)
  }
  const underOwnName = (send: typeof sendPart) => (response: HttpResponse, request: HttpRequest) => {
    if (isAllowedHost(options.hosts, request.getHeader('host'))) send(response, request)
    else loop.send(response, () => refuseRequest(response, BAD_HOST))
  }
  app.get('/', underOwnName(sendDocument))
  app.head('/', underOwnName(sendDocument))
  app.get('/page/*', underOwnName(sendPart))
  app.head('/page/*', underOwnName(sendPart))
}

function sendFile(
  response: HttpResponse,
  request: HttpRequest,
  file: PageFile,
  caching: string,
  loop: TickBudget,
): void {
  const isHead = request.getMethod() === 'head'
  const form = bodyFor(file, request.getHeader('accept-encoding'))
  const isKnown = knows(request.getHeader('if-none-match'), file.etag)
  loop.send(response, () => writeFile(response, file, form, caching, { isHead, isKnown }))
}

function writeFile(
  response: HttpResponse,
  file: PageFile,
  [body, encoding]: Form,
  caching: string,
  { isHead, isKnown }: { readonly isHead: boolean; readonly isKnown: boolean },
): void {
  response
    .writeStatus(STATUS_LINES[isKnown ? 304 : 200] ?? '')
    .writeHeader('ETag', file.etag)
    .writeHeader('Cache-Control', caching)
    .writeHeader('Vary', 'Accept-Encoding')
  if (isKnown) {
    response.endWithoutBody()
    return
  }
  if (encoding !== null) response.writeHeader('Content-Encoding', encoding)
  response
    .writeHeader('Content-Type', file.type)
    .writeHeader('Content-Security-Policy', POLICY)
    .writeHeader('X-Content-Type-Options', 'nosniff')
    .writeHeader('Referrer-Policy', 'no-referrer')
    .writeHeader('Cross-Origin-Opener-Policy', 'same-origin')
    .writeHeader('Cross-Origin-Resource-Policy', 'same-origin')
  // With a length of its own `endWithoutBody` waits for a body.
  if (isHead) response.writeHeader('Content-Length', String(body.byteLength)).endWithoutBody()
  else response.end(body)
}

/** The smallest form that the client takes, and its name. */
function bodyFor(file: PageFile, accepted: string): Form {
  if (takes(accepted, 'br')) return [file.brotli, 'br']
  return takes(accepted, 'gzip') ? [file.gzip, 'gzip'] : [file.plain, null]
}

/** True when a list of encodings names one without refusing it. */
function takes(accepted: string, encoding: string): boolean {
  return accepted.split(',').some((entry) => {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

/** True when a list of entity tags names this one, weak or strong (RFC 9110 §13.1.2). */
function knows(tags: string, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return tags === '*' || tags.split(',').some((tag) => opaque(tag) === opaque(etag))
}
