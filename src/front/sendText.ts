import type { HttpResponse } from 'uWebSockets.js'
import { STATUS_LINES } from './httpExchange.ts'

/** Sends a whole answer that is no JSON-RPC. */
export function sendText(response: HttpResponse, status: number, type: string, body: string): void {
  response
    .writeStatus(STATUS_LINES[status] ?? '')
    .writeHeader('Content-Type', type)
    .end(body)
}
