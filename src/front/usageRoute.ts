import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import type { Caller } from '../gateway/access/caller.ts'
import type { Admission } from '../gateway/admission.ts'
import { RpcError } from '../rpc/errors.ts'
import { errorAnswer } from '../rpc/execute.ts'
import type { Json } from '../rpc/json.ts'
import { isAllowedHost } from './checks.ts'
import { STATUS_LINES } from './httpExchange.ts'
import { type Origins, writeAllowedOrigin } from './origins.ts'
import { refuseMethod } from './refuseMethod.ts'
import { BAD_HOST, type RouteApp, refuseRequest } from './refuseRequest.ts'
import { pageMetadataOf, RequestMetadata } from './requestMetadata.ts'
import { holdBack, type TickBudget } from './tickBudget.ts'

/** The end of the path, which follows the API key. */
const ENDING = '/usage'

/** The parts that the route needs. */
export interface UsageRoute {
  readonly admission: Admission
  readonly origins: Origins
  /** Allowed `Host` names. */
  readonly hosts: readonly string[]
  /** The usage of a caller; null for one without a key. */
  readonly report: (caller: Caller) => Promise<Json>
  /** Bounds what a tick of the event loop answers. */
  readonly loop: TickBudget
}

/** Adds `GET /<API_KEY>/usage`: limits of the key and its usage. Other paths are answered with 405, as before. */
export function addUsageRoute(app: RouteApp, route: UsageRoute): void {
  app.get('/*', (response, request) => {
    const path = request.getUrl()
    if (path.endsWith(ENDING)) receive(response, request, path.slice(0, -ENDING.length), route)
    else refuseMethod(response, route.loop)
  })
}

function receive(response: HttpResponse, request: HttpRequest, path: string, route: UsageRoute): void {
  const { admission, origins, hosts, report } = route
  const metadata = pageMetadataOf(response, request, admission)
  let gone = false
  response.onAborted(() => {
    gone = true
  })
  const caller = admission.admit(new RequestMetadata().of(response, request, path))
  const { allowedOrigin, foreign } = origins.accessOf(
    metadata,
    caller instanceof RpcError ? null : caller.origins,
  )
  const answer = (body: string, status: number) => {
    if (!gone) response.cork(() => send(response, status, body, allowedOrigin))
  }
  if (!isAllowedHost(hosts, metadata.host)) {
    route.loop.send(response, () => refuseRequest(response, BAD_HOST))
    return
  }
  if (foreign) {
    route.loop.send(response, () => response.writeStatus(STATUS_LINES[403] ?? '').end())
    return
  }
  if (caller instanceof RpcError) {
    const { text, status } = errorAnswer('null', caller)
    if (route.loop.holdsBack()) holdBack(() => answer(text, status))
    else answer(text, status)
    return
  }
  report(caller).then(
    (usage) => (usage === null ? answer(NO_KEY, 404) : answer(JSON.stringify(usage), 200)),
    (error: unknown) => answer(error instanceof RpcError ? messageOf(error) : UNREADABLE, 503),
  )
}

const NO_KEY = JSON.stringify({ error: 'no API key before /usage' })
const messageOf = ({ message }: RpcError) => JSON.stringify({ error: message })
const UNREADABLE = JSON.stringify({ error: 'the usage cannot be written or read now' })

function send(response: HttpResponse, status: number, body: string, allowedOrigin: string | null): void {
  response.writeStatus(STATUS_LINES[status] ?? '')
  writeAllowedOrigin(response, allowedOrigin)
  response.writeHeader('Cache-Control', 'no-store').writeHeader('Content-Type', 'application/json').end(body)
}
