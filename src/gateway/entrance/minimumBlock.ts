import { RpcError } from '../../rpc/errors.ts'
import type { Caller } from '../access/caller.ts'
import type { Exchange } from '../exchange.ts'
import type { BodySink, HeldBody, HeldBytes } from './heldBodies.ts'

/** Milliseconds for which a request waits for its block: longer than a change of hands or a slow import takes. */
const LONGEST_WAIT = 2000

const DECIMAL = /^[0-9]{1,16}$/

/** The number of a block in a header; null for anything else. */
export function blockNumberOf(header: string): number | null {
  if (!DECIMAL.test(header)) return null
  const number = Number(header)
  return Number.isSafeInteger(number) ? number : null
}

interface Waiting extends HeldBody {
  readonly number: number
  readonly timer: NodeJS.Timeout
}

/** Has bodies wait until the head is as high as their senders ask for (`X-Min-Block`), for a bounded time. */
export class MinimumBlock {
  readonly #held: HeldBytes
  readonly #answer: BodySink
  readonly #refuse: (kept: HeldBody, error: RpcError) => void
  readonly #waiting = new Set<Waiting>()

  /**
   * @param answer where bodies go whose block is there
   * @param refuse answers every request of a body with an error
   */
  constructor(held: HeldBytes, answer: BodySink, refuse: (kept: HeldBody, error: RpcError) => void) {
    this.#held = held
    this.#answer = answer
    this.#refuse = refuse
  }

  /** Bodies that wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Has a body wait for a block above the head.
   * @returns the error to answer with where there is no room for it to wait
   */
  add(number: number, body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange): RpcError | null {
    const kept = this.#held.keep(body, caller, exchange)
    if (kept instanceof RpcError) return kept
    const timer = setTimeout(() => {
      this.#end(waiting)
      if (!exchange.gone) this.#refuse(kept, blockNotReached(number))
    }, LONGEST_WAIT)
    const waiting: Waiting = { ...kept, number, timer }
    this.#waiting.add(waiting)
    return null
  }

  /** The head has another height. */
  headChanged(height: number): void {
    for (const waiting of this.#waiting) {
      if (waiting.number > height && !waiting.exchange.gone) continue
      this.#end(waiting)
      const { body, caller, exchange } = waiting
      if (!exchange.gone) this.#answer(body, caller, exchange)
    }
  }

  /** Answers what waits with an error. */
  abandon(error: RpcError): void {
    for (const waiting of this.#waiting) {
      this.#end(waiting)
      if (!waiting.exchange.gone) this.#refuse(waiting, error)
    }
  }

  #end(waiting: Waiting): void {
    clearTimeout(waiting.timer)
    this.#waiting.delete(waiting)
    this.#held.release(waiting)
  }
}

/** The error for a block that did not come in time: another node may have it, so that balancers are to try one. */
export function blockNotReached(number: number): RpcError {
  return new RpcError('blockNotReached', `block ${number} is not reached yet`, { data: { minBlock: number } })
}
