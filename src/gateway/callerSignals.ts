import { RpcError } from '../rpc/errors.ts'
import { type Exchange, whenGone } from './exchange.ts'

/** A signal for what is done for a caller. */
export interface CallerSignal {
  readonly signal: AbortSignal
  /** To be called when that is done. */
  end(): void
}

/**
 * Signals of requests that wait in the front thread or in the chain thread, where there is no worker to be stopped. The
 * reason of an abort is the RpcError to answer with.
 */
export class CallerSignals {
  readonly #open = new Set<AbortController>()

  /** A signal that is aborted when the client of an exchange goes away, or the node does. */
  open(exchange: Exchange): CallerSignal {
    const controller = new AbortController()
    this.#open.add(controller)
    const end = () => this.#open.delete(controller)
    whenGone(exchange, () => {
      // Nobody reads the answer.
      if (end()) controller.abort(new RpcError('overLimit'))
    })
    return { signal: controller.signal, end }
  }

  /** Aborts all with an error. */
  abandon(error: RpcError): void {
    for (const controller of this.#open) controller.abort(error)
    this.#open.clear()
  }
}
