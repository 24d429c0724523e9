import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js'
import { STATUS_LINES } from './httpExchange.ts'
import { RequestHeaders } from './requestHeaders.ts'
import type { TickBudget } from './tickBudget.ts'

/** Reason why the headers of a request are not let through, for whoever looks for the reason. */
export const BAD_HOST = 'the Host of the request is none of --allowed-hosts\n'
export const AMBIGUOUS = 'Host, Content-Length or Transfer-Encoding twice, or none that is taken\n'

/** The functions of an app for those that add routes without a body. */
export type RouteApp = Readonly<Record<'get' | 'head' | 'options' | 'any', AddRoute>>

type AddRoute = (pattern: string, handler: Handler) => unknown
type Handler = (response: HttpResponse, request: HttpRequest) => void

/** Answers 400 with a reason and ends the connection: what follows on it cannot be trusted. */
export function refuseRequest(response: HttpResponse, reason: string): void {
  response
    .writeStatus(STATUS_LINES[400] ?? '')
    .writeHeader('Content-Type', 'text/plain')
    .end(reason, true)
}

/** An app whose routes refuse requests that others might read in another way. */
export function withoutAmbiguous(app: TemplatedApp, loop: TickBudget): RouteApp {
  const headers = new RequestHeaders()
  const guard =
    (handler: Handler): Handler =>
    (response, request) => {
      headers.read(request)
      if (headers.isUnambiguous) handler(response, request)
      else loop.send(response, () => refuseRequest(response, AMBIGUOUS))
    }
  return {
    get: (pattern, handler) => app.get(pattern, guard(handler)),
    head: (pattern, handler) => app.head(pattern, guard(handler)),
    options: (pattern, handler) => app.options(pattern, guard(handler)),
    any: (pattern, handler) => app.any(pattern, guard(handler)),
  }
}
