import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js'
import type { FrontEvents } from '../filters/frontEvents.ts'
import type { Caller } from '../gateway/access/caller.ts'
import type { Admission } from '../gateway/admission.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { ExchangeTrace, Tracing } from '../observe/tracing.ts'
import { RpcError } from '../rpc/errors.ts'
import { errorAnswer } from '../rpc/execute.ts'
import type { Json } from '../rpc/json.ts'
import type { AnswerHeaders } from './answerHeaders.ts'
import type { AnswerPacer } from './answerPacer.ts'
import { blockNumberOf, HostCheck, isAllowedHost, isJsonContent, requestIdOf } from './checks.ts'
import type { FrontMetrics } from './frontMetrics.ts'
import { HttpExchange, REQUEST_COPIES, STATUS_LINES } from './httpExchange.ts'
import { addMonitoringRoutes, type FrontProbes, monitoringHosts, monitoringProbes } from './monitoring.ts'
import type { FrontOptions } from './options.ts'
import { NO_PAGE, type Origins, writeAllowedOrigin } from './origins.ts'
import { addPageRoutes } from './page.ts'
import type { PageFiles } from './pageFiles.ts'
import { refuseMethod } from './refuseMethod.ts'
import { AMBIGUOUS, BAD_HOST, refuseRequest, withoutAmbiguous } from './refuseRequest.ts'
import { RequestHeaders } from './requestHeaders.ts'
import { pageMetadataOf, RequestMetadata, trustedScheme } from './requestMetadata.ts'
import type { TickBudget } from './tickBudget.ts'
import { addUsageRoute } from './usageRoute.ts'

/** The parts that HTTP routes need. */
export interface HttpRoutes {
  /** Filters and subscriptions. */
  readonly events: FrontEvents
  readonly gateway: Gateway
  readonly admission: Admission
  readonly options: FrontOptions
  /** Tells pages of other origins apart. */
  readonly origins: Origins
  /** Bytes of the largest answer in one message. */
  readonly answerBytes: number
  readonly probes: FrontProbes
  /** null where no page is served. */
  readonly page: PageFiles | null
  /** The usage of a caller; null for one without a key. None where there are no keys. */
  readonly usageReport?: (caller: Caller) => Promise<Json>
  readonly metrics: FrontMetrics
  /** Sends large answers. */
  readonly pacer: AnswerPacer
  /** Of answers, beside those of every server; null for none. */
  readonly headers: AnswerHeaders | null
  /** Bounds what a tick of the event loop answers. */
  readonly loop: TickBudget
  /** Called for each WebSocket that was closed for what it had of a message that did not end. */
  readonly onReclaimedSocket?: () => void
  /** null while tracing is off. */
  readonly tracing: Tracing | null
}

/** Adds the HTTP routes: POST anywhere, the page, monitoring, CORS preflight; 405 for the rest. */
export function addHttpRoutes(app: TemplatedApp, routes: HttpRoutes): void {
  const { options, origins, probes, loop } = routes
  const reading: Reading = {
    headers: new RequestHeaders(),
    hosts: new HostCheck(options.hosts),
    metadata: new RequestMetadata(),
  }
  app.post('/*', (response, request) => receive(response, request, reading, routes))
  const others = withoutAmbiguous(app, loop)
  if (routes.page !== null) addPageRoutes(others, routes.page, routes)
  const shown = options.monitoring === null ? 'all' : 'public'
  addMonitoringRoutes(others, monitoringProbes(probes, shown), loop, monitoringHosts(options, options.hosts))
  others.options('/*', (response, request) => preflight(response, request, routes))
  const { admission, usageReport } = routes
  if (usageReport !== undefined) {
    addUsageRoute(others, { admission, origins, hosts: options.hosts, report: usageReport, loop })
  }
  others.any('/*', (response) => refuseMethod(response, loop))
}

/** The reader of requests, one after the other. */
interface Reading {
  readonly headers: RequestHeaders
  readonly hosts: HostCheck
  readonly metadata: RequestMetadata
}

/** Every function that is made here is made for each request, with what it holds. */
function receive(response: HttpResponse, request: HttpRequest, reading: Reading, routes: HttpRoutes): void {
  const { headers, hosts } = reading
  const { admission, options } = routes
  headers.read(request)
  const reason = badRequest(headers, hosts)
  if (reason !== null) {
    refuseReason(response, reason, routes)
    return
  }
  const status = statusOfRefusal(headers, options)
  if (status !== null) {
    refuseStatus(response, status, routes)
    return
  }
  const caller = admission.admit(reading.metadata.of(response, request))
  const requestId = options.requestIds ? requestIdOf(headers.requestId) : null
  const trace = routes.tracing === null ? null : beginTrace(routes.tracing, request)
  const known = caller instanceof RpcError ? null : caller
  let access = NO_PAGE
  if (headers.origin !== '' || headers.site !== '') {
    headers.forwardedScheme = trustedScheme(headers.forwardedScheme, response, admission)
    access = routes.origins.accessOf(headers, known?.origins ?? null)
  }
  if (caller instanceof RpcError) {
    const refused = new HttpExchange(response, access, null, routes, requestId, trace)
    response.onAborted(() => refused.aborted())
    refuseError(refused, caller, routes)
    return
  }
  const exchange = new HttpExchange(response, access, caller, routes, requestId, trace)
  const minBlock = headers.minBlock === '' ? 0 : blockNumberOf(headers.minBlock)
  response.onAborted(() => exchange.aborted())
  if (minBlock === null) {
    refuseError(exchange, NO_NUMBER, routes)
    return
  }
  exchange.minBlock = minBlock
  response.onData((chunk, isLast) => receiveBody(routes, exchange, chunk, isLast))
}

function refuseReason(response: HttpResponse, reason: string, { metrics, loop }: HttpRoutes): void {
  metrics.answered(400)
  loop.send(response, () => refuseRequest(response, reason))
}

function refuseStatus(response: HttpResponse, status: number, { metrics, loop }: HttpRoutes): void {
  metrics.answered(status)
  loop.send(response, () => refuse(response, status))
}

function refuseError(exchange: HttpExchange<Caller | null>, error: RpcError, { loop }: HttpRoutes): void {
  const { text, status } = errorAnswer('null', error)
  if (loop.holdsBack()) {
    exchange.answerLater(text, status)
    return
  }
  exchange.corked = true
  exchange.answer(text, status)
}

/** A piece of a body came. Its memory is taken back after this call. */
function receiveBody(routes: HttpRoutes, exchange: HttpExchange, chunk: ArrayBuffer, isLast: boolean): void {
  if (exchange.gone) return
  const { gateway, options } = routes
  if (!exchange.arrived(chunk.byteLength, options.maxBodyBytes)) {
    refuseLong(exchange, routes)
    return
  }
  const copies = chunk.byteLength * REQUEST_COPIES
  if (!exchange.hold(copies)) {
    exchange.dropPieces()
    exchange.corked = true
    exchange.refuseMemory(copies, 'null')
    return
  }
  if (!isLast) {
    exchange.keepPiece(chunk)
    return
  }
  const body = exchange.wholeBody(chunk)
  const { work } = exchange.caller.account
  if (!gateway.work.admits(work)) {
    handleLater(gateway, body, exchange)
    return
  }
  exchange.corked = true
  gateway.handle(body, exchange)
  exchange.corked = false
}

function refuseLong(exchange: HttpExchange, { metrics }: HttpRoutes): void {
  const { response } = exchange
  exchange.leave(413)
  metrics.answered(413)
  response.cork(() => refuse(response, 413))
}

function handleLater(gateway: Gateway, body: ArrayBuffer | Buffer, exchange: HttpExchange): void {
  const kept = body instanceof ArrayBuffer ? Buffer.from(new Uint8Array(body)) : body
  gateway.work.later(exchange.caller.account.work, () => {
    if (exchange.gone) return false
    exchange.isBegun = true
    gateway.handle(kept, exchange)
    exchange.isBegun = false
    return false
  })
}

/** The header is no block number. */
const NO_NUMBER = new RpcError('invalidRequest', 'X-Min-Block is to be a block number in decimal')

/** Reason why a request is not let through that others might take for one of somebody else; null when it is. */
function badRequest(headers: RequestHeaders, hosts: HostCheck): string | null {
  if (!headers.isUnambiguous) return AMBIGUOUS
  return hosts.allows(headers.host) ? null : BAD_HOST
}

/** The status for a request whose body is not read; null for one whose body is. */
function statusOfRefusal(headers: RequestHeaders, { maxBodyBytes }: FrontOptions): number | null {
  if (!headers.announcesBody) return 411
  if (headers.isLongerThan(maxBodyBytes)) return 413
  return isReadable(headers) ? null : 415
}

/** True when the type of the body is one that is read. Bytes without one need no preflight: any page can send them. */
function isReadable({ contentType, origin, site }: RequestHeaders): boolean {
  if (contentType === '') return origin === '' && site === ''
  return isJsonContent(contentType)
}

/** An answer without body that also ends the connection: what follows on it cannot be trusted. */
function refuse(response: HttpResponse, status: number): void {
  response.writeStatus(STATUS_LINES[status] ?? '').end(undefined, true)
}

function beginTrace(tracing: Tracing, request: HttpRequest): ExchangeTrace {
  const traceparent = request.getHeader('traceparent')
  return tracing.exchange('http', { traceparent, tracestate: request.getHeader('tracestate') })
}

/** Preflight of a browser; a page that nobody allowed gets none. */
function preflight(response: HttpResponse, request: HttpRequest, routes: HttpRoutes): void {
  const { admission, options, origins, loop } = routes
  const metadata = pageMetadataOf(response, request, admission)
  const caller = admission.admit(new RequestMetadata().of(response, request))
  const keyOrigins = caller instanceof RpcError ? null : caller.origins
  const { allowedOrigin } = origins.accessOf(metadata, keyOrigins)
  if (allowedOrigin === null || !isAllowedHost(options.hosts, metadata.host)) {
    refuseMethod(response, loop)
    return
  }
  const headers = request.getHeader('access-control-request-headers')
  loop.send(response, () => {
    response.writeStatus(STATUS_LINES[204] ?? '')
    writeAllowedOrigin(response, allowedOrigin)
    response
      .writeHeader('Access-Control-Allow-Methods', 'POST')
      .writeHeader('Access-Control-Allow-Headers', headers === '' ? 'content-type' : headers)
      .writeHeader('Access-Control-Max-Age', '86400')
      .endWithoutBody()
  })
}
