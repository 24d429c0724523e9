import type { HttpRequest, HttpResponse, TemplatedApp, WebSocket } from 'uWebSockets.js'
import { HostCheck, isJsonContent, requestIdOf } from '../../src/front/checks.ts'
import { HttpExchange, REQUEST_COPIES } from '../../src/front/httpExchange.ts'
import { OpenExchanges } from '../../src/front/openExchanges.ts'
import { NO_PAGE } from '../../src/front/origins.ts'
import { RequestHeaders } from '../../src/front/requestHeaders.ts'
import { RequestMetadata, trustedScheme } from '../../src/front/requestMetadata.ts'
import { SocketConnection } from '../../src/front/socketConnection.ts'
import { SocketExchange } from '../../src/front/socketExchange.ts'
import type { Caller } from '../../src/gateway/access/caller.ts'
import type { FastPath } from '../../src/gateway/fastPath/fastPath.ts'
import { RpcError } from '../../src/rpc/errors.ts'
import type { LightFront } from '../../test/guard/lightScene.ts'

/** A server that does one thing more than the one before it; the first is the library alone. */
export interface Stage {
  readonly name: string
  /** Adds what answers requests; null for the front as it is. */
  readonly add: ((app: TemplatedApp, front: LightFront) => void) | null
}

/** What answers of the first stages are, as long as those of the others. */
const ANSWER = new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"result":"0x21"}')
const CONTENT_TYPE = new TextEncoder().encode('Content-Type')
const JSON_TYPE = new TextEncoder().encode('application/json')

/** What is done for a request over HTTP, one concern after the other. */
const HTTP_CONCERNS = [
  'library alone',
  'pass over the headers',
  'checks of host, length, type',
  'origin of a page',
  'admission',
  'exchange: counts, abort',
  'memory of the client',
  'turn of the client',
  'body parsed and answered by the core',
  'answer sent as far as the client reads',
  'charge, counts, cache',
] as const

/** What is done for a message of a WebSocket. */
const SOCKET_CONCERNS = [
  'library alone',
  'exchange: counts, memory',
  'turn of the client',
  'message parsed and answered by the core',
  'answer sent as far as the client reads',
  'charge, counts, cache',
] as const

type HttpConcern = (typeof HTTP_CONCERNS)[number]
type SocketConcern = (typeof SOCKET_CONCERNS)[number]

const WHOLE: Stage = { name: 'front as it is', add: null }

/** Servers for requests over HTTP. */
export const HTTP_STAGES: readonly Stage[] = [
  ...HTTP_CONCERNS.map((name): Stage => ({ name, add: (app, front) => addHttp(app, front, name) })),
  WHOLE,
]

/** Servers for messages of WebSockets. */
export const SOCKET_STAGES: readonly Stage[] = [
  ...SOCKET_CONCERNS.map((name): Stage => ({ name, add: (app, front) => addSocket(app, front, name) })),
  WHOLE,
]

/** The steps of `front/http.ts` up to a concern. */
function addHttp(app: TemplatedApp, front: LightFront, last: HttpConcern): void {
  const does = (concern: HttpConcern) => HTTP_CONCERNS.indexOf(concern) <= HTTP_CONCERNS.indexOf(last)
  const { routes } = front
  const { admission, options, origins, gateway } = routes
  const headers = new RequestHeaders()
  const hosts = new HostCheck(options.hosts)
  const metadata = new RequestMetadata()
  const readsHeaders = does('pass over the headers')
  const checks = does('checks of host, length, type')
  const looksAtPage = does('origin of a page')
  const admits = does('admission')
  const exchanges = does('exchange: counts, abort')
  const holds = does('memory of the client')
  const takesTurn = does('turn of the client')
  const sends = does('answer sent as far as the client reads')
  const isWhole = does('charge, counts, cache')
  const fast = does('body parsed and answered by the core') && !isWhole ? openFastPath(front) : null
  const anybody = callerOf(front)
  app.post('/*', (response: HttpResponse, request: HttpRequest) => {
    if (readsHeaders) headers.read(request)
    if (checks && !isTaken(headers, hosts, options.maxBodyBytes)) throw new Error('the request is refused')
    const caller = admits ? admission.admit(metadata.of(response, request)) : anybody
    if (caller instanceof RpcError) throw caller
    let access = NO_PAGE
    if (looksAtPage && (headers.origin !== '' || headers.site !== '')) {
      headers.forwardedScheme = trustedScheme(headers.forwardedScheme, response, admission)
      access = origins.accessOf(headers, caller.origins)
    }
    if (!exchanges) {
      response.onAborted(() => undefined)
      response.onData((_, isLast) => {
        if (isLast) response.writeHeader(CONTENT_TYPE, JSON_TYPE).end(ANSWER)
      })
      return
    }
    const requestId = options.requestIds ? requestIdOf(headers.requestId) : null
    const exchange = new HttpExchange(response, access, caller, routes, requestId, null)
    response.onAborted(() => exchange.aborted())
    response.onData((chunk, isLast) => {
      if (!isLast) throw new Error('the body comes in pieces')
      if (holds && !exchange.hold(chunk.byteLength * REQUEST_COPIES)) throw new Error('there is no memory')
      if (takesTurn && !gateway.work.admits(caller.account.work)) throw new Error('the turn is over')
      exchange.corked = true
      if (isWhole) gateway.handle(chunk, exchange)
      else answer(response, exchange, fast === null ? ANSWER : answerOf(fast, chunk), sends)
      exchange.corked = false
    })
  })
}

function answer(response: HttpResponse, exchange: HttpExchange, body: Uint8Array, sends: boolean): void {
  if (sends) {
    exchange.answer(body, 200)
    return
  }
  response.writeHeader(CONTENT_TYPE, JSON_TYPE).end(body)
  exchange.leave(200)
}

function isTaken(headers: RequestHeaders, hosts: HostCheck, most: number): boolean {
  if (!headers.isUnambiguous || !hosts.allows(headers.host) || !headers.announcesBody) return false
  return !headers.isLongerThan(most) && isJsonContent(headers.contentType)
}

interface Data {
  readonly caller: Caller
  readonly access: typeof NO_PAGE
  readonly open: OpenExchanges<SocketExchange<Data>>
  connection: SocketConnection<Data> | null
}

/** The steps of `front/webSocket.ts` up to a concern. */
function addSocket(app: TemplatedApp, front: LightFront, last: SocketConcern): void {
  const does = (concern: SocketConcern) => SOCKET_CONCERNS.indexOf(concern) <= SOCKET_CONCERNS.indexOf(last)
  const { options, metrics, pacer, gateway } = front.routes
  const exchanges = does('exchange: counts, memory')
  const takesTurn = does('turn of the client')
  const sends = does('answer sent as far as the client reads')
  const isWhole = does('charge, counts, cache')
  const fast = does('message parsed and answered by the core') && !isWhole ? openFastPath(front) : null
  const caller = callerOf(front)
  app.ws<Data>('/*', {
    upgrade: (response, request, context) => {
      response.upgrade<Data>(
        { caller, access: NO_PAGE, open: new OpenExchanges(), connection: null },
        request.getHeader('sec-websocket-key'),
        request.getHeader('sec-websocket-protocol'),
        request.getHeader('sec-websocket-extensions'),
        context,
      )
    },
    message: (socket: WebSocket<Data>, message: ArrayBuffer) => {
      const data = socket.getUserData()
      if (!exchanges) {
        socket.send(ANSWER, false)
        return
      }
      data.connection ??= new SocketConnection(socket, options.maxSocketBacklog, data.caller.account)
      pacer.asked(data.caller.account)
      const exchange = new SocketExchange(data.connection, data, metrics, null)
      if (takesTurn && !gateway.work.admits(data.caller.account.work)) throw new Error('the turn is over')
      if (!exchange.hold(message.byteLength * REQUEST_COPIES)) throw new Error('there is no memory')
      if (isWhole) {
        gateway.handle(message, exchange)
        return
      }
      const body = fast === null ? ANSWER : answerOf(fast, message)
      if (sends) {
        exchange.answer(body)
        return
      }
      socket.send(body, false)
      data.open.remove(exchange)
      exchange.leave()
    },
  })
}

/** Who asks where nobody is asked who it is. */
function callerOf({ routes }: LightFront): Caller {
  const caller = routes.admission.admit({
    path: '/ada-secret',
    origin: '',
    address: Uint8Array.of(127, 0, 0, 1).buffer,
    forwardedFor: '',
  })
  if (caller instanceof RpcError) throw caller
  return caller
}

function openFastPath(front: LightFront): FastPath {
  return front.openFastPath()
}

function answerOf(fast: FastPath, body: ArrayBuffer): Uint8Array {
  const found = fast.answer(body, false)
  if (found === null) throw new Error('the core leaves the body to others')
  return found
}
