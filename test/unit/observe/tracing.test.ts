import { propagation, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import t from 'tap'
import { createTracing, type WatchedRequest } from '../../../src/observe/tracing.ts'

const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
)
propagation.setGlobalPropagator(new W3CTraceContextPropagator())
const tracing = createTracing('test')

const REQUEST: WatchedRequest = {
  method: 'eth_call',
  lane: 'evm',
  caller: 'somebody',
  requestId: 'r-1',
  code: null,
  started: 100,
  sent: 130,
  ended: 200,
  paramBytes: 10,
  answerBytes: 20,
}

t.beforeEach(() => exporter.reset())

t.test('an exchange continues the trace of its sender, with its requests, waits and runs below it', (t) => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const exchange = tracing.exchange('http', {
    traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    tracestate: '',
  })
  exchange.request(REQUEST)
  exchange.request({ ...REQUEST, method: 'eth_chainId', sent: null, code: -32603 })
  exchange.end(200)
  const spans = new Map(exporter.getFinishedSpans().map((span) => [span.name, span]))
  t.same(
    [...spans.values()].map((span) => span.spanContext().traceId),
    Array(spans.size).fill(traceId),
  )
  const parentOf = (name: string) => spans.get(name)?.parentSpanContext?.spanId
  const idOf = (name: string) => spans.get(name)?.spanContext().spanId
  t.equal(parentOf('http exchange'), 'b7ad6b7169203331')
  t.equal(parentOf('eth_call'), idOf('http exchange'))
  t.equal(parentOf('lane wait'), idOf('eth_call'))
  t.equal(parentOf('worker run'), idOf('eth_call'))
  const milliseconds = (name: string) => {
    const [seconds = 0, nanoseconds = 0] = spans.get(name)?.duration ?? []
    return Math.round(seconds * 1000 + nanoseconds / 1e6)
  }
  t.same(['eth_call', 'lane wait', 'worker run'].map(milliseconds), [100, 30, 70])
  t.match(spans.get('eth_call')?.attributes, { 'rhizome.request_id': 'r-1', 'rhizome.lane': 'evm' })
  t.match(spans.get('eth_chainId')?.attributes, { 'rpc.jsonrpc.error_code': -32603 })
  t.end()
})

t.test('without a sender a trace begins; an import has its own', (t) => {
  tracing.exchange('websocket').end(null)
  tracing.imported(0.5, { blocks: 2, head: 9, gas: 21_000 })
  const [exchange, imported] = exporter.getFinishedSpans()
  t.equal(exchange?.parentSpanContext, undefined)
  t.match(imported, { name: 'import', attributes: { 'rhizome.head': 9, 'rhizome.blocks': 2 } })
  t.end()
})
