import type {
  HttpRequest,
  HttpResponse,
  RecognizedString,
  TemplatedApp,
  WebSocket,
  WebSocketBehavior,
} from 'uWebSockets.js'
import type { SocketLibrary } from '../../src/front/socketLibrary.ts'

/** The functions of the socket library that are counted. */
const NO_CALLS = {
  cork: 0,
  end: 0,
  forEach: 0,
  getBufferedAmount: 0,
  getHeader: 0,
  getRemoteAddress: 0,
  getUrl: 0,
  getUserData: 0,
  getWriteOffset: 0,
  onAborted: 0,
  onData: 0,
  onWritable: 0,
  send: 0,
  tryEnd: 0,
  upgrade: 0,
  writeHeader: 0,
  writeStatus: 0,
}

/** Calls into the socket library by the name of the function. */
export type LibraryCalls = typeof NO_CALLS

/** Name and value of each header, names in small letters as the library has them. */
export type Headers = readonly (readonly [name: string, value: string])[]

type RequestHandler = (response: HttpResponse, request: HttpRequest) => void

/** Of an IPv4 address. */
const ADDRESS_BYTES = 4
/** What the library says of a message that left nothing behind. */
const SENT = 1

/**
 * A socket library whose one client is a program in the same thread, so that what a request costs is the same in each
 * run. It allocates what the library allocates for JavaScript where a call asks for it: an array for each `tryEnd`, an
 * address for each `getRemoteAddress`. Of what it is told it keeps callbacks and the last answer.
 */
export class ScriptedLibrary {
  readonly calls: LibraryCalls = { ...NO_CALLS }
  readonly #request: ScriptedRequest
  readonly #response: ScriptedResponse
  readonly #socket: ScriptedSocket
  #post: RequestHandler | null = null
  #behavior: WebSocketBehavior<unknown> | null = null

  constructor() {
    this.#request = new ScriptedRequest(this.calls)
    this.#response = new ScriptedResponse(this.calls)
    this.#socket = new ScriptedSocket(this.calls)
  }

  /** To be given to the front. */
  get library(): SocketLibrary {
    const app = {
      post: (_: RecognizedString, handler: RequestHandler) => {
        this.#post = handler
        return app
      },
      ws: (_: RecognizedString, behavior: WebSocketBehavior<unknown>) => {
        this.#behavior = behavior
        return app
      },
      listen: (...values: readonly unknown[]) => (values.at(-1) as (socket: object) => void)({}),
      any: () => app,
      get: () => app,
      options: () => app,
      filter: () => app,
      close: () => app,
    }
    return {
      source: 'script',
      App: () => app as unknown as TemplatedApp,
      SSLApp: () => {
        throw new Error('there is no TLS here')
      },
      us_listen_socket_close: () => undefined,
      us_socket_local_port: () => 1,
    }
  }

  /** Functions that stand for the library's own, which no compiler of JavaScript sees into. */
  static get functions(): readonly unknown[] {
    return [ScriptedRequest, ScriptedResponse, ScriptedSocket].flatMap(({ prototype }) =>
      Object.getOwnPropertyNames(prototype)
        .filter((name) => name !== 'constructor')
        .map((name): unknown => Reflect.get(prototype, name)),
    )
  }

  /** What the last request or message was answered with. */
  get lastAnswer(): string {
    return textOf(this.#response.answer ?? this.#socket.answer)
  }

  /** Sends a request that came on a connection of its own. */
  request(path: string, headers: Headers, body: ArrayBuffer): void {
    const response = this.#response
    this.#request.path = path
    this.#request.headers = headers
    response.answer = null
    this.#socket.answer = null
    this.#post?.(response as unknown as HttpResponse, this.#request as unknown as HttpRequest)
    response.received(body)
  }

  /** Opens the WebSocket. */
  open(path: string, headers: Headers): void {
    this.#request.path = path
    this.#request.headers = headers
    const behavior = this.#behavior
    behavior?.upgrade?.(
      this.#response as unknown as HttpResponse,
      this.#request as unknown as HttpRequest,
      {} as never,
    )
    if (this.#response.userData === null) throw new Error(`no WebSocket: ${this.lastAnswer}`)
    this.#socket.userData = this.#response.userData
    behavior?.open?.(this.#socket as unknown as WebSocket<unknown>)
  }

  /** Sends a message on it. */
  message(message: ArrayBuffer): void {
    this.#response.answer = null
    this.#socket.answer = null
    void this.#behavior?.message?.(this.#socket as unknown as WebSocket<unknown>, message, false)
  }
}

class ScriptedRequest {
  path = '/'
  headers: Headers = []
  readonly calls: LibraryCalls

  constructor(calls: LibraryCalls) {
    this.calls = calls
  }

  forEach(take: (name: string, value: string) => void): void {
    this.calls.forEach += 1
    const { headers } = this
    for (let place = 0; place < headers.length; place += 1) {
      const header = headers[place]
      if (header !== undefined) take(header[0], header[1])
    }
  }

  getHeader(wanted: string): string {
    this.calls.getHeader += 1
    return this.headers.find(([name]) => name === wanted)?.[1] ?? ''
  }

  getUrl(): string {
    this.calls.getUrl += 1
    return this.path
  }
}

class ScriptedResponse {
  /** null until the request is answered. */
  answer: RecognizedString | null = null
  userData: unknown = null
  readonly calls: LibraryCalls
  onBody: ((chunk: ArrayBuffer, isLast: boolean) => void) | null = null
  onEnd: (() => void) | null = null

  constructor(calls: LibraryCalls) {
    this.calls = calls
  }

  received(body: ArrayBuffer): void {
    const onBody = this.onBody
    this.onBody = null
    onBody?.(body, true)
  }

  cork(write: () => void): this {
    this.calls.cork += 1
    write()
    return this
  }

  end(body?: RecognizedString): this {
    this.calls.end += 1
    this.answer = body ?? ''
    return this
  }

  endWithoutBody(): this {
    this.calls.end += 1
    this.answer = ''
    return this
  }

  tryEnd(body: RecognizedString): [boolean, boolean] {
    this.calls.tryEnd += 1
    this.answer = body
    return [true, true]
  }

  getWriteOffset(): number {
    this.calls.getWriteOffset += 1
    return 0
  }

  getRemoteAddress(): ArrayBuffer {
    this.calls.getRemoteAddress += 1
    return new ArrayBuffer(ADDRESS_BYTES)
  }

  onAborted(handler: () => void): this {
    this.calls.onAborted += 1
    this.onEnd = handler
    return this
  }

  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): this {
    this.calls.onData += 1
    this.onBody = handler
    return this
  }

  onWritable(): this {
    this.calls.onWritable += 1
    return this
  }

  upgrade(userData: unknown): void {
    this.calls.upgrade += 1
    this.userData = userData
  }

  writeHeader(): this {
    this.calls.writeHeader += 1
    return this
  }

  writeStatus(): this {
    this.calls.writeStatus += 1
    return this
  }
}

class ScriptedSocket {
  userData: unknown = null
  answer: RecognizedString | null = null
  readonly calls: LibraryCalls

  constructor(calls: LibraryCalls) {
    this.calls = calls
  }

  getUserData(): unknown {
    this.calls.getUserData += 1
    return this.userData
  }

  getBufferedAmount(): number {
    this.calls.getBufferedAmount += 1
    return 0
  }

  getRemoteAddress(): ArrayBuffer {
    this.calls.getRemoteAddress += 1
    return new ArrayBuffer(ADDRESS_BYTES)
  }

  cork(write: () => void): this {
    this.calls.cork += 1
    write()
    return this
  }

  send(message: RecognizedString): number {
    this.calls.send += 1
    this.answer = message
    return SENT
  }

  end(_code: number, reason: string): void {
    throw new Error(`the WebSocket was closed: ${reason}`)
  }
}

function textOf(answer: RecognizedString | null): string {
  if (answer === null) return ''
  return typeof answer === 'string' ? answer : Buffer.from(answer as Uint8Array).toString('utf8')
}
