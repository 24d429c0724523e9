import type { TemplatedApp, WebSocket } from 'uWebSockets.js'
import { type Caller, POLICY_CODE } from '../gateway/access/caller.ts'
import type { Exchange } from '../gateway/exchange.ts'
import type { ExchangeTrace } from '../observe/tracing.ts'
import { RpcError } from '../rpc/errors.ts'
import { errorAnswer } from '../rpc/execute.ts'
import { isAllowedHost } from './checks.ts'
import type { FrontMetrics } from './frontMetrics.ts'
import type { HttpRoutes } from './http.ts'
import { REQUEST_COPIES, STATUS_LINES } from './httpExchange.ts'
import { writeLimitHeaders } from './limitHeaders.ts'
import type { Origins, PageAccess, PageMetadata } from './origins.ts'
import { AMBIGUOUS, BAD_HOST, refuseRequest } from './refuseRequest.ts'
import { RequestHeaders } from './requestHeaders.ts'
import { RequestMetadata, trustedScheme } from './requestMetadata.ts'
import { goAway, SocketConnection } from './socketConnection.ts'

/** Room for pings, pongs and the close frame behind everything else that waits. */
const CONTROL_BYTES = 65_536

/** Requests over their limits in a row that a WebSocket may send before it is closed. */
const MOST_OVER_LIMIT = 100

/** For whoever looks for the reason: browsers show it to no page. */
const FOREIGN_TEXT = 'pages of this origin are not allowed: --cors-origin\n'

/** What belongs to one WebSocket. */
interface SocketData {
  readonly caller: Caller
  /** What the page may do that opened it. */
  readonly access: PageAccess
  /** The page that opened it. */
  readonly page: PageMetadata
  /** Messages without an answer yet. */
  readonly open: Set<SocketExchange>
  /** Messages that are left to later turns of the event loop. */
  readonly later: { readonly exchange: SocketExchange; readonly message: Buffer }[]
  /** Requests over the limits of the caller since the last message without one. */
  overLimit: number
  /** Made with the first message. */
  connection: SocketConnection<SocketData> | null
}

/** One message of a WebSocket. */
class SocketExchange implements Exchange {
  onGone: (() => void) | undefined
  gone = false
  readonly connection: SocketConnection<SocketData>
  readonly trace: ExchangeTrace | null
  readonly restricted: boolean
  readonly #open: Set<SocketExchange>
  readonly #caller: Caller
  readonly #metrics: FrontMetrics
  /** Bytes that were taken from the memory of the caller. */
  #held = 0

  constructor(
    connection: SocketConnection<SocketData>,
    { open, caller, access }: SocketData,
    metrics: FrontMetrics,
    trace: ExchangeTrace | null,
  ) {
    this.connection = connection
    this.trace = trace
    this.restricted = access.restricted
    this.#open = open
    this.#caller = caller
    this.onGone = undefined
    open.add(this)
    caller.begin()
    this.#metrics = metrics
    metrics.messages += 1
    metrics.began()
  }

  answer(body: string | Uint8Array): void {
    if (this.gone) return
    this.#end()
    this.#open.delete(this)
    // A notification has no answer, and an empty frame is none.
    if (body.length > 0) this.connection.answer(body)
    if (this.#metrics.draining && this.#open.size === 0) this.connection.goAway()
    this.#metrics.ended()
    this.trace?.end(200)
  }

  leave(): void {
    this.#end()
    this.#metrics.ended()
    this.trace?.end(null)
    this.onGone?.()
  }

  hold(bytes: number): boolean {
    if (!this.#caller.account.memory.take(bytes)) return false
    this.#held += bytes
    return true
  }

  /** Answers that there was no room for so many bytes. */
  refuseMemory(bytes: number): void {
    const { account } = this.#caller
    account.refusedMemory()
    this.answer(errorAnswer('null', account.memory.refusal(bytes)).text)
  }

  #end(): void {
    this.gone = true
    if (this.#held > 0) this.#caller.account.memory.release(this.#held)
    this.#held = 0
    this.#caller.end()
  }
}

/** The WebSockets that are open. */
export interface OpenSockets {
  /** Has each go away once what it asked is answered. To be called when the metrics say that the front is stopping. */
  drain(): void
}

/** Adds the WebSocket on the same port: every frame is a body, every answer a text frame. */
export function addWebSocket(app: TemplatedApp, routes: HttpRoutes): OpenSockets {
  const { gateway, admission, options, origins, events, answerBytes, metrics, pacer, loop, tracing } = routes
  const sockets = new Set<WebSocket<SocketData>>()
  const headers = new RequestHeaders()
  const handle = (data: SocketData, exchange: SocketExchange, message: ArrayBuffer | Buffer) => {
    const { account } = data.caller
    const before = account.refused
    const bytes = message.byteLength * REQUEST_COPIES
    if (exchange.hold(bytes)) gateway.handle(message, data.caller, exchange)
    else exchange.refuseMemory(bytes)
    // The gateway has counted refusals by the time it returns.
    data.overLimit = account.refused === before ? 0 : data.overLimit + account.refused - before
    if (data.overLimit > MOST_OVER_LIMIT) exchange.connection.end(POLICY_CODE, 'goes on over its limits')
  }
  const handleLater = (socket: WebSocket<SocketData>, data: SocketData) => {
    if (data.later.length === 0) return
    socket.cork(() => {
      while (data.later.length > 0 && loop.admits(data.caller.account)) {
        const next = data.later.shift()
        if (next !== undefined && !next.exchange.gone) handle(data, next.exchange, next.message)
      }
    })
    if (data.later.length > 0) setImmediate(() => handleLater(socket, data))
  }
  app.ws<SocketData>('/*', {
    maxPayloadLength: options.maxBodyBytes,
    // The library closes without a code, so its limit only covers what the front does not send: pongs to a flood.
    maxBackpressure: options.maxSocketBacklog + answerBytes + CONTROL_BYTES,
    closeOnBackpressureLimit: true,
    idleTimeout: options.socketIdleSeconds,
    sendPingsAutomatically: true,
    upgrade: (response, request, context) => {
      headers.read(request)
      if (!headers.isUnambiguous) {
        loop.send(response, () => refuseRequest(response, AMBIGUOUS))
        return
      }
      if (!isAllowedHost(options.hosts, headers.host)) {
        loop.send(response, () => refuseRequest(response, BAD_HOST))
        return
      }
      const caller = admission.admit(new RequestMetadata(response, request))
      headers.forwardedScheme = trustedScheme(headers.forwardedScheme, response, admission)
      const access = origins.accessOf(headers, caller instanceof RpcError ? null : caller.origins)
      if (access.foreign) {
        loop.send(response, () => response.writeStatus(STATUS_LINES[403] ?? '').end(FOREIGN_TEXT))
        return
      }
      const refusal = caller instanceof RpcError ? caller : admission.admitSocket(caller)
      if (caller instanceof RpcError || refusal !== null) {
        const { text, status } = errorAnswer('null', refusal ?? new RpcError('internal'))
        loop.send(response, () => {
          response.writeStatus(STATUS_LINES[status] ?? '').writeHeader('Content-Type', 'application/json')
          if (!(caller instanceof RpcError)) writeLimitHeaders(response, caller.account, false)
          response.end(text)
        })
        return
      }
      const { origin, host, site, forwardedScheme } = headers
      const page: PageMetadata = { origin, host, site, forwardedScheme }
      response.upgrade<SocketData>(
        { caller, access, page, open: new Set(), later: [], connection: null, overLimit: 0 },
        request.getHeader('sec-websocket-key'),
        request.getHeader('sec-websocket-protocol'),
        request.getHeader('sec-websocket-extensions'),
        context,
      )
    },
    open: (socket) => {
      const { caller, page } = socket.getUserData()
      caller.opened(socket, (keyOrigins) => isStillAllowed(origins, page, keyOrigins))
      sockets.add(socket)
      metrics.webSockets += 1
      if (metrics.draining) goAway(socket)
    },
    message: (socket, message) => {
      const data = socket.getUserData()
      const { caller } = data
      const { account } = caller
      data.connection ??= new SocketConnection(socket, options.maxSocketBacklog, account)
      pacer.asked(account)
      const exchange = new SocketExchange(
        data.connection,
        data,
        metrics,
        tracing?.exchange('websocket') ?? null,
      )
      if (data.later.length === 0 && loop.admits(account)) {
        handle(data, exchange, message)
        return
      }
      if (!exchange.hold(message.byteLength)) {
        exchange.refuseMemory(message.byteLength)
        return
      }
      data.later.push({ exchange, message: Buffer.from(new Uint8Array(message)) })
      if (data.later.length === 1) setImmediate(() => handleLater(socket, data))
    },
    drain: (socket) => socket.getUserData().connection?.drained(),
    close: (socket) => {
      sockets.delete(socket)
      metrics.webSockets -= 1
      // The library reports the end of HTTP connections only, and does not report upgrades.
      metrics.connections -= 1
      const { open, later, connection, caller } = socket.getUserData()
      caller.closed(socket)
      later.length = 0
      for (const exchange of open) exchange.leave()
      if (connection === null) return
      connection.closed()
      events.subscriptions.drop(connection)
    },
  })
  return {
    drain: () => {
      for (const socket of sockets) if (socket.getUserData().open.size === 0) goAway(socket)
    },
  }
}

/** Whether a page would get its WebSocket again with these origins of its key. */
function isStillAllowed(
  origins: Origins,
  page: PageMetadata,
  keyOrigins: ReadonlySet<string> | null,
): boolean {
  if (page.origin !== '' && keyOrigins?.has(page.origin) === false) return false
  return !origins.accessOf(page, keyOrigins).foreign
}
