import type { TemplatedApp } from 'uWebSockets.js'
import { type Caller, POLICY_CODE } from '../gateway/access/caller.ts'
import type { Exchange } from '../gateway/exchange.ts'
import { RpcError } from '../rpc/errors.ts'
import { errorAnswer } from '../rpc/execute.ts'
import { isAllowedHost } from './checks.ts'
import type { HttpRoutes } from './http.ts'
import { STATUS_LINES } from './httpExchange.ts'
import { writeLimitHeaders } from './limitHeaders.ts'
import { RequestFacts } from './requestFacts.ts'
import { SocketConnection } from './socketConnection.ts'

/** Room for pings, pongs and the close frame behind everything else that waits. */
const CONTROL_BYTES = 65_536

/** Requests over their limits in a row that a WebSocket may send before it is closed. */
const MOST_OVER_LIMIT = 100

/** What belongs to one WebSocket. */
interface SocketData {
  readonly caller: Caller
  /** Messages without an answer yet. */
  readonly open: Set<SocketExchange>
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
  readonly #open: Set<SocketExchange>
  readonly #caller: Caller

  constructor(connection: SocketConnection<SocketData>, { open, caller }: SocketData) {
    this.connection = connection
    this.#open = open
    this.#caller = caller
    this.onGone = undefined
    open.add(this)
    caller.begin()
  }

  answer(body: string | Uint8Array): void {
    if (this.gone) return
    this.gone = true
    this.#caller.end()
    this.#open.delete(this)
    // A notification has no answer, and an empty frame is none.
    if (body.length > 0) this.connection.answer(body)
  }

  leave(): void {
    this.gone = true
    this.#caller.end()
    this.onGone?.()
  }
}

/** Adds the WebSocket on the same port: every frame is a body, every answer a text frame. */
export function addWebSocket(app: TemplatedApp, routes: HttpRoutes): void {
  const { gateway, admission, options, events, answerBytes } = routes
  app.ws<SocketData>('/*', {
    maxPayloadLength: options.maxBodyBytes,
    // The library closes without a code, so it only steps in where the front has no say: pongs to a flood.
    maxBackpressure: options.maxSocketBacklog + answerBytes + CONTROL_BYTES,
    closeOnBackpressureLimit: true,
    idleTimeout: options.socketIdleSeconds,
    sendPingsAutomatically: true,
    upgrade: (response, request, context) => {
      if (!isAllowedHost(options.hosts, request.getHeader('host'))) {
        response.writeStatus(STATUS_LINES[400] ?? '').end()
        return
      }
      const caller = admission.admit(new RequestFacts(response, request))
      const refusal = caller instanceof RpcError ? caller : admission.admitSocket(caller)
      if (caller instanceof RpcError || refusal !== null) {
        const { text, status } = errorAnswer('null', refusal ?? new RpcError('internal'))
        response.writeStatus(STATUS_LINES[status] ?? '').writeHeader('Content-Type', 'application/json')
        if (!(caller instanceof RpcError)) writeLimitHeaders(response, caller.account, false)
        response.end(text)
        return
      }
      response.upgrade<SocketData>(
        { caller, open: new Set(), connection: null, overLimit: 0 },
        request.getHeader('sec-websocket-key'),
        request.getHeader('sec-websocket-protocol'),
        request.getHeader('sec-websocket-extensions'),
        context,
      )
    },
    open: (socket) => socket.getUserData().caller.opened(socket),
    message: (socket, message) => {
      const data = socket.getUserData()
      const { caller } = data
      const { account } = caller
      const before = account.refused
      data.connection ??= new SocketConnection(socket, options.maxSocketBacklog, account)
      const exchange = new SocketExchange(data.connection, data)
      gateway.handle(Buffer.from(message), caller, exchange)
      // What is over a limit is known when the gateway returns.
      data.overLimit = account.refused === before ? 0 : data.overLimit + account.refused - before
      if (data.overLimit > MOST_OVER_LIMIT) data.connection.end(POLICY_CODE, 'goes on over its limits')
    },
    close: (socket) => {
      const { open, connection, caller } = socket.getUserData()
      caller.closed(socket)
      for (const exchange of open) exchange.leave()
      if (connection === null) return
      connection.closed()
      events.subscriptions.drop(connection)
    },
  })
}
