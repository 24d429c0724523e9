import type { Service, ServiceStats } from '../../front/service.ts'
import { REQUEST_BUCKETS } from '../../gateway/requestMetrics.ts'
import type { LaneStats } from '../../gateway/scheduler/laneQueue.ts'
import type { Metrics, Sample } from '../../observe/metrics.ts'

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
  ) => metrics.samples({ type, name, help, collect: () => read(pick) })
  declareRequests(metrics, samples, read)
  declareLanes(samples)
  declareWorkers(samples)
  declareSockets(samples)
}

type Read = <T>(pick: (stats: ServiceStats) => readonly T[]) => readonly T[]
type Declare = (
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  pick: (stats: ServiceStats) => readonly Sample[],
) => void

function declareRequests(metrics: Metrics, declare: Declare, read: Read): void {
  declare(
    'counter',
    'rpc_requests_total',
    'JSON-RPC requests by method and by what answered: the native core in the front thread, the response cache, or the method.',
    ({ requests }) =>
      requests.stats().flatMap(({ method, requests: all, inFront, fromKept }) => [
        { labels: { method, from: 'front' }, value: inFront },
        { labels: { method, from: 'kept' }, value: fromKept },
        { labels: { method, from: 'method' }, value: all - inFront - fromKept },
      ]),
  )
  metrics.distributions({
    name: 'rpc_request_seconds',
    help: 'Time from a request to its answer. Of answers that take microseconds one in 16 is timed and counts for all.',
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
  declare('counter', 'answer_cache_hits_total', 'Answers found among those kept for the head.', (stats) => [
    { value: stats.responseCache.hits },
  ])
  declare(
    'counter',
    'answer_cache_misses_total',
    'Answers looked for and not kept for the head.',
    (stats) => [{ value: stats.responseCache.misses }],
  )
  declare('gauge', 'answer_cache_bytes', 'Answers kept for the head.', (stats) => [
    { value: stats.responseCache.bytes },
  ])
}

const LANE_GAUGES: readonly (readonly [name: string, help: string, pick: keyof LaneStats])[] = [
  ['lane_queue_limit_count', 'Requests of a lane that may wait; more are refused.', 'queue'],
  ['lane_waiting_count', 'Requests of a lane that wait.', 'waiting'],
  ['lane_running_count', 'Requests of a lane that are at the workers.', 'running'],
]

const LANE_COUNTERS: typeof LANE_GAUGES = [
  ['lane_answered_total', 'Requests of a lane that workers answered.', 'answered'],
  ['lane_refused_total', 'Requests that were refused because the queue of their lane was full.', 'refused'],
  ['lane_timed_out_total', 'Requests that ran into the time limit of their lane.', 'timedOut'],
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
    ['gauge', 'pool_threads_count', 'Worker threads that run.', 'threads'],
    ['gauge', 'pool_busy_threads_count', 'Worker threads that have requests.', 'busy'],
    [
      'counter',
      'pool_threads_started_total',
      'Worker threads that were started, replacements included.',
      'started',
    ],
    ['counter', 'pool_active_seconds_total', 'Time in which worker threads were not idle.', 'activeSeconds'],
  ] as const
  for (const [type, name, help, pick] of rows) {
    declare(type, name, help, ({ pools }) =>
      Object.entries(pools).map(([pool, stats]) => ({ labels: { pool }, value: stats[pick] })),
    )
  }
  declare('counter', 'pool_lost_batches_total', 'Messages to a worker that died with them.', (stats) => [
    { value: stats.lostBatches },
  ])
}

function declareSockets(declare: Declare): void {
  declare('counter', 'http_answers_total', 'HTTP answers by status.', ({ front }) =>
    front.statuses.map(({ status, count }) => ({ labels: { status: String(status) }, value: count })),
  )
  declare('counter', 'websocket_messages_total', 'Messages that came over WebSockets.', ({ front }) => [
    { value: front.messages },
  ])
  declare(
    'counter',
    'connections_refused_total',
    'Connections that were closed because too many were open.',
    ({ front }) => [{ value: front.refusedConnections }],
  )
  const gauges = [
    ['connections_count', 'Connections that are open, WebSockets included.', 'connections'],
    ['websocket_connections_count', 'WebSockets that are open.', 'webSockets'],
    ['exchanges_count', 'HTTP requests and WebSocket messages without an answer yet.', 'exchanges'],
  ] as const
  for (const [name, help, pick] of gauges)
    declare('gauge', name, help, ({ front }) => [{ value: front[pick] }])
  declare('gauge', 'subscriptions_count', 'Subscriptions of all WebSockets.', (stats) => [
    { value: stats.subscriptions },
  ])
  declare('gauge', 'filters_count', 'Filters that are installed.', (stats) => [{ value: stats.filters }])
}
