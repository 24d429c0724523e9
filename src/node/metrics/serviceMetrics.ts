import { REQUEST_BUCKETS } from '../../gateway/requestMetrics.ts'
import type { LaneStats } from '../../gateway/scheduler/laneQueue.ts'
import type { FastCallStats } from '../../native/nativeFastPath.ts'
import type { Metrics, Sample } from '../../observe/metrics.ts'
import { WAIT_BUCKETS } from '../../util/waits.ts'
import type { Service, ServiceStats } from '../service.ts'

/** Declares the metrics of requests, lanes, workers and sockets; they are there once the service is. */
export function createServiceMetrics(metrics: Metrics, service: () => Service | null): void {
  const read = <T>(pick: (stats: ServiceStats) => readonly T[]) => {
    const stats = service()?.stats()
    return stats === undefined ? [] : pick(stats)
  }
  const samples = (
    type: 'counter' | 'gauge',
    name: string,
    help: string,
    pick: (stats: ServiceStats) => readonly Sample[],
    renamedFrom?: string,
  ) =>
    metrics.samples({
      type,
      name,
      help,
      collect: () => read(pick),
      ...(renamedFrom === undefined ? {} : { renamedFrom }),
    })
  declareRequests(metrics, samples, read)
  declareLanes(samples)
  declareWorkers(samples)
  declareSockets(samples)
  metrics.samples({
    type: 'gauge',
    name: 'tls_certificate_end_time_seconds',
    help: 'When the certificate of the endpoint ends, in seconds since 1970; nothing without TLS.',
    collect: () => {
      const certificate = service()?.certificate() ?? null
      return certificate === null ? [] : [{ value: certificate.validTo / 1000 }]
    },
  })
}

type Read = <T>(pick: (stats: ServiceStats) => readonly T[]) => readonly T[]
type Declare = (
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  pick: (stats: ServiceStats) => readonly Sample[],
  renamedFrom?: string,
) => void

function declareRequests(metrics: Metrics, declare: Declare, read: Read): void {
  declare(
    'counter',
    'rpc_requests_total',
    'JSON-RPC requests by method and by what answered: the native fast path, the response cache, or the handler of the method.',
    ({ requests }) =>
      requests.stats().flatMap(({ method, requests: all, inFront, fromCache }) => [
        { labels: { method, from: 'fast_path' }, value: inFront },
        { labels: { method, from: 'response_cache' }, value: fromCache },
        { labels: { method, from: 'handler' }, value: all - inFront - fromCache },
      ]),
  )
  metrics.distributions({
    name: 'block_wait_seconds',
    help: 'How long requests waited for a block that they name or ask for.',
    buckets: WAIT_BUCKETS,
    collect: () => read(({ blockWaits }) => [{ labels: {}, ...blockWaits }]),
  })
  metrics.distributions({
    name: 'rpc_request_seconds',
    help: 'Time from a request to its answer. Of requests that take microseconds one in 16 is measured and counts for 16.',
    labels: ['method'],
    buckets: REQUEST_BUCKETS,
    collect: () =>
      read(({ requests }) =>
        requests.stats().map(({ method, counts, seconds }) => ({ labels: { method }, counts, sum: seconds })),
      ),
  })
  declare('counter', 'rpc_errors_total', 'JSON-RPC errors by method and code.', ({ requests }) =>
    requests
      .errors()
      .map(({ method, code, count }) => ({ labels: { method, code: String(code) }, value: count })),
  )
  declare(
    'counter',
    'rpc_abandoned_requests_total',
    'Requests whose client went away before the answer.',
    ({ requests }) => [{ value: requests.abandoned }],
  )
  declareResponseCache(declare)
  for (const [name, help, pick] of FAST_CALL_COUNTERS) {
    declare('counter', name, help, ({ fastCalls }) => [{ value: fastCalls[pick] }])
  }
}

function declareResponseCache(declare: Declare): void {
  const rows = [
    ['counter', 'hits_total', 'Requests that the response cache answered.', 'hits'],
    [
      'counter',
      'misses_total',
      'Requests that were looked up in the response cache and not found.',
      'misses',
    ],
    ['gauge', 'bytes', 'Size of the response cache, which holds responses of the present head.', 'bytes'],
  ] as const
  for (const [type, name, help, pick] of rows) {
    declare(
      type,
      `response_cache_${name}`,
      help,
      ({ responseCache }) => [{ value: responseCache[pick] }],
      `answer_cache_${name}`,
    )
  }
}

const FAST_CALL_COUNTERS: readonly (readonly [name: string, help: string, pick: keyof FastCallStats])[] = [
  ['fast_call_attempts_total', 'Calls and estimates that the front thread began.', 'attempts'],
  ['fast_call_failures_total', 'Of these, those that a worker executed once more.', 'failures'],
  ['fast_call_gas_total', 'Gas of calls and estimates that the front thread began.', 'gas'],
  ['fast_call_wasted_gas_total', 'Gas of those that a worker executed once more.', 'wastedGas'],
]

const LANE_GAUGES: readonly (readonly [name: string, help: string, pick: keyof LaneStats])[] = [
  ['lane_queue_limit_count', 'Length of the queue of a lane; further requests are refused.', 'queue'],
  ['lane_waiting_count', 'Requests of a lane that wait in its queue.', 'waiting'],
  ['lane_running_count', 'Requests of a lane that workers have.', 'running'],
]

const LANE_COUNTERS: typeof LANE_GAUGES = [
  ['lane_answered_total', 'Requests of a lane that workers answered.', 'answered'],
  ['lane_refused_total', 'Requests that were refused because the queue of their lane was full.', 'refused'],
  ['lane_timed_out_total', 'Requests that exceeded the time limit of their lane.', 'timedOut'],
]

function declareLanes(declare: Declare): void {
  const add = (type: 'counter' | 'gauge', rows: typeof LANE_GAUGES) => {
    for (const [name, help, pick] of rows) {
      declare(type, name, help, ({ lanes }) =>
        Object.entries(lanes).map(([lane, stats]) => ({ labels: { lane }, value: stats[pick] })),
      )
    }
  }
  add('gauge', LANE_GAUGES)
  add('counter', LANE_COUNTERS)
}

function declareWorkers(declare: Declare): void {
  const rows = [
    ['gauge', 'threads_count', 'Worker threads that run.', 'threads'],
    ['gauge', 'busy_threads_count', 'Worker threads that have requests.', 'busy'],
    [
      'counter',
      'threads_started_total',
      'Worker threads that were started, replacements included.',
      'started',
    ],
    ['counter', 'active_seconds_total', 'Time in which worker threads were not idle.', 'activeSeconds'],
  ] as const
  for (const [type, name, help, pick] of rows) {
    declare(
      type,
      `worker_${name}`,
      help,
      ({ pools }) => Object.entries(pools).map(([pool, stats]) => ({ labels: { pool }, value: stats[pick] })),
      `pool_${name}`,
    )
  }
  declare(
    'counter',
    'worker_lost_batches_total',
    'Batches of requests that were lost because their worker died.',
    (stats) => [{ value: stats.lostBatches }],
    'pool_lost_batches_total',
  )
}

function declareSockets(declare: Declare): void {
  declare(
    'counter',
    'http_responses_total',
    'HTTP responses by status.',
    ({ front }) =>
      front.statuses.map(({ status, count }) => ({ labels: { status: String(status) }, value: count })),
    'http_answers_total',
  )
  declare('counter', 'websocket_messages_total', 'Messages received over WebSockets.', ({ front }) => [
    { value: front.messages },
  ])
  declare(
    'counter',
    'connections_refused_total',
    'Connections that were closed because too many were open.',
    ({ front }) => [{ value: front.refusedConnections }],
  )
  declare(
    'counter',
    'websocket_reclaimed_total',
    'WebSockets that were closed for what they had of messages that did not end.',
    ({ front }) => [{ value: front.unfinished.closed }],
  )
  declare(
    'gauge',
    'websocket_unfinished_bytes',
    'What WebSockets have of messages that did not end yet, as it was measured last; not measured while it cannot be much.',
    ({ front }) => [{ value: front.unfinished.bytes }],
  )
  const gauges = [
    ['connections_count', 'Connections that are open, WebSockets included.', 'connections'],
    ['websocket_connections_count', 'WebSockets that are open.', 'webSockets'],
  ] as const
  for (const [name, help, pick] of gauges)
    declare('gauge', name, help, ({ front }) => [{ value: front[pick] }])
  declare(
    'gauge',
    'pending_exchanges_count',
    'HTTP requests and WebSocket messages without a response yet.',
    ({ front }) => [{ value: front.exchanges }],
    'exchanges_count',
  )
  declare('gauge', 'subscriptions_count', 'Subscriptions of all WebSockets.', (stats) => [
    { value: stats.subscriptions },
  ])
  declare('gauge', 'filters_count', 'Filters that are installed.', (stats) => [{ value: stats.filters }])
}
