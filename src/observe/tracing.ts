import {
  type Context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'

/** Attributes of one answered JSON-RPC request. */
export interface WatchedRequest {
  readonly method: string
  readonly lane: string
  /** Name of the caller; never a key. */
  readonly caller: string
  /** Id of the exchange, which the client also has. */
  readonly requestId: string | null
  /** JSON-RPC code of an error; null for a result. */
  readonly code: number | null
  readonly started: number
  /** Time at which it was sent to a worker; null when the front thread answered it. */
  readonly sent: number | null
  readonly ended: number
  readonly paramBytes: number
  /** Bytes or characters of the response, including all of its pages. */
  readonly answerBytes: number
}

/** Headers by which a request continues a trace (W3C Trace Context); empty when absent. */
export interface TraceHeaders {
  readonly traceparent: string
  readonly tracestate: string
}

/** The span of one HTTP request or WebSocket message. */
export interface ExchangeTrace {
  /** Adds the spans of one of its JSON-RPC requests: the whole, the wait in the lane, the run in a worker. */
  request(request: WatchedRequest): void
  /** Ends the span. @param status */
  end(status: number | null): void
}

/** Creates spans, which go to the provider that the operator registered. */
export interface Tracing {
  /** Starts the span of an exchange. */
  exchange(transport: 'http' | 'websocket', headers?: TraceHeaders): ExchangeTrace
  /** Adds the span of an import of blocks that has ended. @param seconds its duration */
  imported(
    seconds: number,
    metadata: { readonly blocks: number; readonly head: number; readonly gas: number },
  ): void
}

const NAME = 'rhizome'

/**
 * Spans of the OpenTelemetry API. Without a registered provider they are discarded.
 * @param version of the program
 */
export function createTracing(version: string): Tracing {
  const tracer = trace.getTracer(NAME, version)
  return {
    exchange: (transport, headers) => {
      const parent = headers === undefined ? ROOT_CONTEXT : extract(headers)
      const options = { kind: SpanKind.SERVER, attributes: { 'network.protocol.name': transport } }
      const span = tracer.startSpan(`${transport} exchange`, options, parent)
      return new OpenExchange(tracer, span, trace.setSpan(parent, span))
    },
    imported: (seconds, { blocks, head, gas }) => {
      const end = Date.now()
      const attributes = { 'rhizome.blocks': blocks, 'rhizome.head': head, 'rhizome.gas': gas }
      tracer.startSpan('import', { startTime: end - seconds * 1000, attributes }, ROOT_CONTEXT).end(end)
    },
  }
}

class OpenExchange implements ExchangeTrace {
  readonly #tracer: Tracer
  readonly #span: Span
  readonly #context: Context

  constructor(tracer: Tracer, span: Span, context: Context) {
    this.#tracer = tracer
    this.#span = span
    this.#context = context
  }

  request({ method, lane, caller, requestId, code, started, sent, ended }: WatchedRequest): void {
    const attributes = {
      'rpc.system': 'jsonrpc',
      'rpc.method': method,
      'rhizome.lane': lane,
      'rhizome.caller': caller,
      ...(requestId === null ? {} : { 'rhizome.request_id': requestId }),
      ...(code === null ? {} : { 'rpc.jsonrpc.error_code': code }),
    }
    const span = this.#tracer.startSpan(method, { startTime: clock(started), attributes }, this.#context)
    if (code !== null) span.setStatus({ code: SpanStatusCode.ERROR })
    if (sent !== null) {
      const inside = trace.setSpan(this.#context, span)
      this.#add('lane wait', started, sent, inside)
      this.#add('worker run', sent, ended, inside)
    }
    span.end(clock(ended))
  }

  end(status: number | null): void {
    if (status !== null) this.#span.setAttribute('http.response.status_code', status)
    if (status === null || status >= 500) this.#span.setStatus({ code: SpanStatusCode.ERROR })
    this.#span.end()
  }

  #add(name: string, start: number, end: number, parent: Context): void {
    this.#tracer.startSpan(name, { startTime: clock(start) }, parent).end(clock(end))
  }
}

/**
 * Converts a time of `performance.now()` to milliseconds since 1970: the API would take a small number for
 * the former.
 */
function clock(time: number): number {
  return performance.timeOrigin + time
}

function extract(headers: TraceHeaders): Context {
  const carrier = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
  return propagation.extract(ROOT_CONTEXT, carrier)
}
