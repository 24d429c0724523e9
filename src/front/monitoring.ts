import type { HttpResponse } from 'uWebSockets.js'
import { isLoopbackHost } from '../util/webOrigin.ts'
import { isAllowedHost } from './checks.ts'
import { STATUS_LINES } from './httpExchange.ts'
import type { ListenAddress } from './options.ts'
import { BAD_HOST, type RouteApp, refuseRequest } from './refuseRequest.ts'
import { sendText } from './sendText.ts'
import type { TickBudget } from './tickBudget.ts'

/** Answers to questions of operators. */
export interface FrontProbes {
  /** Reason why no requests should be sent here now; empty when they can. */
  ready(): Promise<readonly string[]>
  /** Prometheus text of `/metrics`; null when there are none. */
  readonly metrics: (() => Promise<string>) | null
}

/** The answer to an operator's question. */
export interface MonitoringAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** Asks for an answer; it is there at once where it depends on nothing. */
export type MonitoringProbe = () => MonitoringAnswer | Promise<MonitoringAnswer>

const JSON_TYPE = 'application/json'
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
/** The answer where there is nothing, and where nothing is known now. */
export const NOTHING: MonitoringAnswer = { status: 404, type: 'text/plain', body: '' }
const FAILED: MonitoringAnswer = { status: 503, type: 'text/plain', body: '' }

/** Path of `/ready`. */
export const READY = '/ready'

/**
 * What operators ask, by path.
 *
 * - `/health`: 200 as long as the process answers.
 * - `/ready`: 200 or 503 with the reasons, for load balancers.
 * - `/metrics`: Prometheus text.
 *
 * @param shown `public` leaves out reasons and metrics, which would tell strangers how to hurt the node
 */
export function monitoringProbes(
  { ready, metrics }: FrontProbes,
  shown: 'all' | 'public',
): ReadonlyMap<string, MonitoringProbe> {
  return new Map<string, MonitoringProbe>([
    ['/health', () => ({ status: 200, type: JSON_TYPE, body: '{"alive":true}' })],
    [
      READY,
      async () => {
        const reasons = await ready()
        const isReady = reasons.length === 0
        const body = shown === 'all' ? { ready: isReady, reasons } : { ready: isReady }
        return { status: isReady ? 200 : 503, type: JSON_TYPE, body: JSON.stringify(body) }
      },
    ],
    [
      '/metrics',
      metrics === null || shown === 'public'
        ? () => NOTHING
        : async () => ({ status: 200, type: METRICS_TYPE, body: await metrics() }),
    ],
  ])
}

/** The answer of a probe; 503 when it fails. */
export async function answerOf(probe: MonitoringProbe): Promise<MonitoringAnswer> {
  try {
    return await probe()
  } catch {
    return FAILED
  }
}

/**
 * Adds the routes of {@link monitoringProbes} to the endpoint. Answers have no CORS headers, so that pages of other
 * origins cannot read them. A `Host` that is not allowed is answered with 400, so that DNS rebinding does not make a
 * page one of this origin.
 * @param hosts names that a `Host` header may have besides IP addresses, as {@link monitoringHosts} has them
 */
export function addMonitoringRoutes(
  app: RouteApp,
  probes: ReadonlyMap<string, MonitoringProbe>,
  loop: TickBudget,
  hosts: readonly string[],
): void {
  for (const [path, probe] of probes) {
    app.get(path, (response, request) => {
      if (!isAllowedHost(hosts, request.getHeader('host'))) {
        loop.send(response, () => refuseRequest(response, BAD_HOST))
        return
      }
      const answer = probe()
      if (answer instanceof Promise)
        sendLater(
          response,
          answerOf(() => answer),
        )
      else loop.send(response, () => send(response, answer))
    })
  }
}

/**
 * The `Host` names under which monitoring answers: those of requests when it listens on loopback only. On other
 * addresses every name is accepted, because probes and scrapers use names that only the operator's network knows.
 */
export function monitoringHosts({ host }: ListenAddress, hosts: readonly string[]): readonly string[] {
  return isLoopbackHost(host) ? hosts : ['*']
}

function send(response: HttpResponse, { status, type, body }: MonitoringAnswer): void {
  if (body === '') response.writeStatus(STATUS_LINES[status] ?? '').end()
  else sendText(response, status, type, body)
}

/** Sends what a promise gives, unless the client went away. */
function sendLater(response: HttpResponse, later: Promise<MonitoringAnswer>): void {
  let gone = false
  response.onAborted(() => {
    gone = true
  })
  void later.then((answer) => {
    if (!gone) response.cork(() => send(response, answer))
  })
}
