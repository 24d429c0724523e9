import type { TemplatedApp, WebSocket } from 'uWebSockets.js'
import { type Caller, POLICY_CODE } from '../gateway/access/caller.ts'
import type { Exchange } from '../gateway/exchange.ts'
import type { ExchangeTrace } from '../observe/tracing.ts'
import { RpcError } from '../rpc/errors.ts'
import { errorAnswer } from '../rpc/execute.ts'
import { isAllowedHost } from './checks.ts'
import type { FrontTally } from './frontTally.ts'
import type { HttpRoutes } from './http.ts'
import { STATUS_LINES } from './httpExchange.ts'
import { writeLimitHeaders } from './limitHeaders.ts'
import { RequestFacts } from './requestFacts.ts'
import { goAway, SocketConnection } from './socketConnection.ts'

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
  readonly trace: ExchangeTrace | null
  readonly #open: Set<SocketExchange>
  readonly #caller: Caller
  readonly #tally: FrontTally

  constructor(
    connection: SocketConnection<SocketData>,
    { open, caller }: SocketData,
    tally: FrontTally,
    trace: ExchangeTrace | null,
  ) {
    this.connection = connection
    this.trace = trace
    this.#open = open
    this.#caller = caller
    this.onGone = undefined
    open.add(this)
    caller.begin()
    this.#tally = tally
    tally.messages += 1
    tally.began()
  }

  answer(body: string | Uint8Array): void {
    if (this.gone) return
    this.gone = true
    this.#caller.end()
    this.#open.delete(this)
    // A notification has no answer, and an empty frame is none.
    if (body.length > 0) this.connection.answer(body)
    if (this.#tally.draining && this.#open.size === 0) this.connection.goAway()
    this.#tally.ended()
    this.trace?.end(200)
  }

  leave(): void {
    this.gone = true
    this.#caller.end()
    this.#tally.ended()
    this.trace?.end(null)
    this.onGone?.()
  }
}

/** The WebSockets that are open. */
export interface OpenSockets {
  /** Has each go away once what it asked is answered. To be called when the tally says that the front is stopping. */
  drain(): void
}

/** Adds the WebSocket on the same port: every frame is a body, every answer a text frame. */
export function addWebSocket(app: TemplatedApp, routes: HttpRoutes): OpenSockets {
  const { gateway, admission, options, events, answerBytes, tally, turns, tracing } = routes
  const sockets = new Set<WebSocket<SocketData>>()
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
    open: (socket) => {
      socket.getUserData().caller.opened(socket)
      sockets.add(socket)
      tally.webSockets += 1
      if (tally.draining) goAway(socket)
    },
    message: (socket, message) => {
      const data = socket.getUserData()
      const { caller } = data
      const { account } = caller
      const before = account.refused
      data.connection ??= new SocketConnection(socket, options.maxSocketBacklog, account)
      turns.asked(account)
      const exchange = new SocketExchange(
        data.connection,
        data,
        tally,
        tracing?.exchange('websocket') ?? null,
      )
      gateway.handle(message, caller, exchange)
      // What is over a limit is known when the gateway returns.
      data.overLimit = account.refused === before ? 0 : data.overLimit + account.refused - before
      if (data.overLimit > MOST_OVER_LIMIT) data.connection.end(POLICY_CODE, 'goes on over its limits')
    },
    close: (socket) => {
      sockets.delete(socket)
      tally.webSockets -= 1
      // The library tells of the end of HTTP connections alone, and of an upgrade not at all.
      tally.connections -= 1
      const { open, connection, caller } = socket.getUserData()
      caller.closed(socket)
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
