import { RpcError } from '../../rpc/errors.ts'
import { type WaitCounts, Waits } from '../../util/waits.ts'
import type { Exchange } from '../exchange.ts'
import type { BodySink, HeldBody, HeldBytes } from './heldBodies.ts'

/** Milliseconds for which a request waits for its block: longer than a slow import takes. */
const MAX_WAIT_MILLISECONDS = 2000

/** The block that a body waits for. */
export interface BlockNeed {
  /** True when it is there. */
  isMet(): boolean
  /** The answer when it did not come in time; null when it is not waited for any more. */
  late(): RpcError | null
}

interface Waiting extends HeldBody {
  readonly need: BlockNeed
  readonly began: number
  readonly timer: NodeJS.Timeout
}

/** For how long bodies waited, and how many of them in vain. Totals only grow. */
export interface BlockWaitStats extends WaitCounts {
  readonly late: number
}

/** Has bodies wait for a block that their senders ask for or name, for a bounded time. */
export class BlockWaits {
  readonly #held: HeldBytes
  readonly #answer: BodySink
  readonly #refuse: (kept: HeldBody, error: RpcError) => void
  readonly #waiting = new Set<Waiting>()
  readonly #waits = new Waits()
  #late = 0

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

  get stats(): BlockWaitStats {
    return { ...this.#waits.all, late: this.#late }
  }

  /**
   * Has a body wait.
   * @returns the error to answer with where too much waits
   */
  add(need: BlockNeed, body: ArrayBuffer | Buffer, exchange: Exchange): RpcError | null {
    const kept = this.#held.keep(body, exchange)
    if (kept instanceof RpcError) return kept
    const timer = setTimeout(() => {
      const error = need.late()
      this.#end(waiting, error === null ? 0 : 1)
      if (exchange.gone) return
      if (error === null) this.#answer(kept.body, exchange)
      else this.#refuse(kept, error)
    }, MAX_WAIT_MILLISECONDS)
    const waiting: Waiting = { ...kept, need, began: performance.now(), timer }
    this.#waiting.add(waiting)
    return null
  }

  /** Answers what need not wait any more. */
  look(): void {
    for (const waiting of this.#waiting) {
      if (!waiting.exchange.gone && !waiting.need.isMet()) continue
      this.#end(waiting, 0)
      const { body, exchange } = waiting
      if (!exchange.gone) this.#answer(body, exchange)
    }
  }

  /** Answers what waits with an error. */
  abandon(error: RpcError): void {
    for (const waiting of this.#waiting) {
      this.#end(waiting, 1)
      if (!waiting.exchange.gone) this.#refuse(waiting, error)
    }
  }

  #end(waiting: Waiting, late: number): void {
    clearTimeout(waiting.timer)
    this.#waiting.delete(waiting)
    this.#held.release(waiting)
    this.#waits.add(performance.now() - waiting.began)
    this.#late += late
  }
}

/** The error for a block that did not come in time: another node may have it, so that balancers are to try one. */
export function blockNotReached(number: number): RpcError {
  return new RpcError('blockNotReached', `block ${number} is not reached yet`, { data: { minBlock: number } })
}

/** The error for a named block that another node has and this one does not get in time. */
export function blockNotHere(): RpcError {
  return new RpcError('blockNotHere')
}
