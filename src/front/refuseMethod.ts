import type { HttpResponse } from 'uWebSockets.js'
import { STATUS_LINES } from './httpExchange.ts'
import type { TickBudget } from './tickBudget.ts'

/** The answer to another method than POST. */
export function refuseMethod(response: HttpResponse, loop: TickBudget): void {
  loop.send(response, () => {
    response
      .writeStatus(STATUS_LINES[405] ?? '')
      .writeHeader('Allow', 'POST')
      .end()
  })
}
