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
  /** Why no requests should be sent here now; empty when they can. */
  ready(): Promise<readonly string[]>
  /** Prometheus text of `/metrics`; null when there are none. */
  readonly metrics: (() => Promise<string>) | null
}

const JSON_TYPE = 'application/json'
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Adds the routes of operators.
 *
 * - `/health`: 200 as long as the process answers.
 * - `/ready`: 200 or 503 with the reasons, for load balancers.
 * - `/metrics`: Prometheus text.
 *
 * Answers have no CORS headers, so that pages of other origins cannot read them. A `Host` that is not allowed is
 * answered with 400, so that DNS rebinding does not make a page one of this origin.
 *
 * @param shown `public` leaves out reasons and metrics, which would tell strangers how to hurt the node
 * @param hosts names that a `Host` header may have besides IP addresses, as {@link monitoringHosts} has them
 */
export function addMonitoringRoutes(
  unguarded: RouteApp,
  probes: FrontProbes,
  shown: 'all' | 'public',
  loop: TickBudget,
  hosts: readonly string[],
): void {
  const app = {
    get: (pattern: string, handler: (response: HttpResponse) => void) =>
      unguarded.get(pattern, (response, request) => {
        if (isAllowedHost(hosts, request.getHeader('host'))) handler(response)
        else loop.send(response, () => refuseRequest(response, BAD_HOST))
      }),
  }
  app.get('/health', (response) =>
    loop.send(response, () => sendText(response, 200, JSON_TYPE, '{"alive":true}')),
  )
  app.get('/ready', (response) =>
    sendLater(response, probes.ready(), (reasons) => {
      const ready = reasons.length === 0
      const body = shown === 'all' ? { ready, reasons } : { ready }
      sendText(response, ready ? 200 : 503, JSON_TYPE, JSON.stringify(body))
    }),
  )
  const { metrics } = probes
  app.get('/metrics', (response) => {
    if (metrics === null || shown === 'public') {
      loop.send(response, () => response.writeStatus(STATUS_LINES[404] ?? '').end())
      return
    }
    sendLater(response, metrics(), (text) => sendText(response, 200, METRICS_TYPE, text))
  })
}

/**
 * The `Host` names under which monitoring answers: those of requests when it listens on loopback only. On other
 * addresses every name is accepted, because probes and scrapers use names that only the operator's network knows.
 */
export function monitoringHosts({ host }: ListenAddress, hosts: readonly string[]): readonly string[] {
  return isLoopbackHost(host) ? hosts : ['*']
}

/** Sends what a promise gives, unless the client went away; 503 when it fails. */
function sendLater<T>(response: HttpResponse, later: Promise<T>, send: (value: T) => void): void {
  let gone = false
  response.onAborted(() => {
    gone = true
  })
  later.then(
    (value) => {
      if (!gone) response.cork(() => send(value))
    },
    () => {
      if (!gone) response.cork(() => response.writeStatus(STATUS_LINES[503] ?? '').end())
    },
  )
}
