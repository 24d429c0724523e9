import type { TemplatedApp } from 'uWebSockets.js'
import type { Caller } from '../gateway/admission.ts'
import type { Exchange } from '../gateway/exchange.ts'
import { RpcError } from '../rpc/errors.ts'
import { errorAnswer } from '../rpc/execute.ts'
import { isAllowedHost } from './checks.ts'
import type { HttpRoutes } from './http.ts'
import { STATUS_LINES } from './httpExchange.ts'
import { SocketConnection } from './socketConnection.ts'

/** Room for pings, pongs and the close frame behind everything else that waits. */
const CONTROL_BYTES = 65_536

/** What belongs to one WebSocket. */
interface SocketData {
  readonly caller: Caller
  /** Messages without an answer yet. */
  readonly open: Set<SocketExchange>
  /** Made with the first message. */
  connection: SocketConnection<SocketData> | null
}

/** One message of a WebSocket. */
class SocketExchange implements Exchange {
  onGone: (() => void) | undefined
  gone = false
  readonly connection: SocketConnection<SocketData>
  readonly #open: Set<SocketExchange>

  constructor(connection: SocketConnection<SocketData>, open: Set<SocketExchange>) {
    this.connection = connection
    this.#open = open
    this.onGone = undefined
    open.add(this)
  }

  answer(body: string | Uint8Array): void {
    if (this.gone) return
    this.gone = true
    this.#open.delete(this)
    // A notification has no answer, and an empty frame is none.
    if (body.length > 0) this.connection.answer(body)
  }

  leave(): void {
    this.gone = true
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
      const caller = admission.admit({ path: request.getUrl(), origin: request.getHeader('origin') })
      if (caller instanceof RpcError) {
        const { text } = errorAnswer('null', caller)
        response
          .writeStatus(STATUS_LINES[401] ?? '')
          .writeHeader('Content-Type', 'application/json')
          .end(text)
        return
      }
      response.upgrade<SocketData>(
        { caller, open: new Set(), connection: null },
        request.getHeader('sec-websocket-key'),
        request.getHeader('sec-websocket-protocol'),
        request.getHeader('sec-websocket-extensions'),
        context,
      )
    },
    message: (socket, message) => {
      const data = socket.getUserData()
      data.connection ??= new SocketConnection(socket, options.maxSocketBacklog)
      const exchange = new SocketExchange(data.connection, data.open)
      gateway.handle(Buffer.from(message), data.caller, exchange)
    },
    close: (socket) => {
      const { open, connection } = socket.getUserData()
      for (const exchange of open) exchange.leave()
      if (connection === null) return
      connection.closed()
      events.subscriptions.drop(connection)
    },
  })
}
