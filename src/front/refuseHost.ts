import type { HttpResponse } from 'uWebSockets.js'
import { STATUS_LINES } from './httpExchange.ts'

const TEXT = 'the Host of the request is none of --allowed-hosts\n'

/** The answer to a request under a name that is not the node's; it ends the connection. */
export function refuseHost(response: HttpResponse): void {
  response
    .writeStatus(STATUS_LINES[400] ?? '')
    .writeHeader('Content-Type', 'text/plain')
    .end(TEXT, true)
}
