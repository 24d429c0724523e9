import type { TemplatedApp, WebSocket } from 'uWebSockets.js'
import { type Caller, POLICY_CODE } from '../gateway/access/caller.ts'
import { RpcError } from '../rpc/errors.ts'
import { errorAnswer } from '../rpc/execute.ts'
import { isAllowedHost } from './checks.ts'
import type { HttpRoutes } from './http.ts'
import { REQUEST_COPIES, STATUS_LINES } from './httpExchange.ts'
import { writeLimitHeaders } from './limitHeaders.ts'
import { OpenExchanges } from './openExchanges.ts'
import type { Origins, PageAccess, PageMetadata } from './origins.ts'
import { AMBIGUOUS, BAD_HOST, refuseRequest } from './refuseRequest.ts'
import { RequestHeaders } from './requestHeaders.ts'
import { RequestMetadata, trustedScheme } from './requestMetadata.ts'
import { goAway, SocketConnection } from './socketConnection.ts'
import { SocketExchange } from './socketExchange.ts'
import { type UnfinishedMessage, UnfinishedMessages } from './unfinishedMessages.ts'

/** Bytes for pings, pongs and the close frame behind everything else that waits. */
const CONTROL_BYTES = 65_536

/** Close code for a message that is longer than is taken (RFC 6455 §7.4.1). */
const TOO_BIG_CODE = 1009

/**
 * The library drops a connection without a code where a message is longer than what it takes, so it takes so many times
 * as much as is answered.
 */
const LIBRARY_FACTOR = 2

/** Requests over their limits in a row that a WebSocket may send before it is closed. */
const MAX_OVER_LIMIT = 100

/** For whoever looks for the reason: browsers show it to no page. */
const FOREIGN_TEXT = 'pages of this origin are not allowed: --cors-origin\n'

/**
 * What a message that waits takes beside its bytes: its exchange, its copy, its entry in the queue. A client may
 * send very many that are short.
 */
const OVERHEAD_BYTES = 512

/** A message of the library, copied. */
interface KeptMessage {
  readonly exchange: MessageExchange
  readonly message: Buffer
}

type MessageExchange = SocketExchange<SocketData>

/** The data of one WebSocket. */
interface SocketData {
  readonly caller: Caller
  /** The rights of the page that opened it. */
  readonly access: PageAccess
  /** The page that opened it. */
  readonly page: PageMetadata
  /** Messages without an answer yet. */
  readonly open: OpenExchanges<MessageExchange>
  /** Messages that are answered once the client has read what waits for it. */
  readonly unread: KeptMessage[]
  /** Requests over the limits of the caller since the last message without one. */
  overLimit: number
  /** Made when the socket is open. */
  unfinished: UnfinishedMessage | null
  /** Made with the first message. */
  connection: SocketConnection<SocketData> | null
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
  const largest = LIBRARY_FACTOR * options.maxBodyBytes
  const unfinished = new UnfinishedMessages(largest, () => routes.onReclaimedSocket?.())
  metrics.unfinished = () => unfinished.stats
  const headers = new RequestHeaders()
  const handle = (data: SocketData, exchange: MessageExchange, message: ArrayBuffer | Buffer) => {
    const { account } = data.caller
    const before = account.refused
    const bytes = message.byteLength * REQUEST_COPIES
    if (exchange.hold(bytes)) gateway.handle(message, exchange)
    else exchange.refuseMemory(bytes)
    // The gateway has counted refusals by the time it returns, but for those of a batch that goes on later.
    data.overLimit = account.refused === before ? 0 : data.overLimit + account.refused - before
    if (data.overLimit > MAX_OVER_LIMIT) exchange.connection.end(POLICY_CODE, 'goes on over its limits')
  }
  const handleLater = (socket: WebSocket<SocketData>, data: SocketData, kept: KeptMessage) => {
    const { exchange, message } = kept
    gateway.work.later(data.caller.account.work, () => {
      if (exchange.gone) return false
      if (exchange.connection.isBehind) data.unread.push(kept)
      else {
        data.unfinished?.begun()
        socket.cork(() => handle(data, exchange, message))
      }
      return false
    })
  }
  const answerUnread = (socket: WebSocket<SocketData>, data: SocketData) => {
    if (data.connection?.isBehind !== false) return
    for (const kept of data.unread.splice(0)) handleLater(socket, data, kept)
  }
  app.ws<SocketData>('/*', {
    maxPayloadLength: largest,
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
      const caller = admission.admit(new RequestMetadata().of(response, request))
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
        {
          caller,
          access,
          page,
          open: new OpenExchanges(),
          unread: [],
          unfinished: null,
          connection: null,
          overLimit: 0,
        },
        request.getHeader('sec-websocket-key'),
        request.getHeader('sec-websocket-protocol'),
        request.getHeader('sec-websocket-extensions'),
        context,
      )
    },
    open: (socket) => {
      const data = socket.getUserData()
      const { caller, page } = data
      data.unfinished = unfinished.opened(socket, caller.account, () => answerUnread(socket, data))
      caller.opened(socket, (keyOrigins) => isStillAllowed(origins, page, keyOrigins))
      sockets.add(socket)
      metrics.webSockets += 1
      if (metrics.draining) goAway(socket)
    },
    message: (socket, message) => {
      const data = socket.getUserData()
      const { caller } = data
      const { account } = caller
      data.unfinished?.whole(message.byteLength)
      if (message.byteLength > options.maxBodyBytes) {
        socket.end(TOO_BIG_CODE, `a message has more than ${options.maxBodyBytes} bytes (--max-body-size)`)
        return
      }
      data.connection ??= new SocketConnection(socket, options.maxSocketBacklog, account)
      pacer.asked(account)
      const exchange = new SocketExchange(
        data.connection,
        data,
        metrics,
        tracing?.exchange('websocket') ?? null,
      )
      const { isBehind } = data.connection
      if (!isBehind && gateway.work.admits(account.work)) {
        handle(data, exchange, message)
        return
      }
      const bytes = message.byteLength + OVERHEAD_BYTES
      if (!exchange.hold(bytes)) {
        exchange.refuseMemory(bytes)
        return
      }
      data.unfinished?.putOff()
      const kept = { exchange, message: Buffer.from(new Uint8Array(message)) }
      if (isBehind) data.unread.push(kept)
      else handleLater(socket, data, kept)
    },
    ping: (socket, payload) => socket.getUserData().unfinished?.control(payload.byteLength),
    pong: (socket, payload) => socket.getUserData().unfinished?.control(payload.byteLength),
    drain: (socket) => {
      const data = socket.getUserData()
      data.unfinished?.drained()
      data.connection?.drained()
      answerUnread(socket, data)
    },
    close: (socket) => {
      sockets.delete(socket)
      metrics.webSockets -= 1
      // The library reports the end of HTTP connections only, and does not report upgrades.
      metrics.connections -= 1
      const { open, unread, unfinished: message, connection, caller } = socket.getUserData()
      if (message !== null) unfinished.closed(message)
      caller.closed(socket)
      unread.length = 0
      for (const exchange of open.all()) exchange.leave()
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

/** True when a page would get its WebSocket again with these origins of its key. */
function isStillAllowed(
  origins: Origins,
  page: PageMetadata,
  keyOrigins: ReadonlySet<string> | null,
): boolean {
  if (page.origin !== '' && keyOrigins?.has(page.origin) === false) return false
  return !origins.accessOf(page, keyOrigins).foreign
}
