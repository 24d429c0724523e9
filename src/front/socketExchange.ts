import type { Caller } from '../gateway/access/caller.ts'
import type { Exchange } from '../gateway/exchange.ts'
import type { ExchangeTrace } from '../observe/tracing.ts'
import { errorAnswer } from '../rpc/execute.ts'
import type { FrontMetrics } from './frontMetrics.ts'
import type { ListedExchange, OpenExchanges } from './openExchanges.ts'
import type { PageAccess } from './origins.ts'
import type { SocketConnection } from './socketConnection.ts'

/** The parts that exchanges of one WebSocket share. */
export interface SocketUse {
  readonly caller: Caller
  /** The rights of the page that opened it. */
  readonly access: PageAccess
  /** Messages without an answer yet. */
  readonly open: OpenExchanges<ListedExchange>
}

/** One message of a WebSocket. */
export class SocketExchange<T extends SocketUse> implements Exchange, ListedExchange {
  onGone: (() => void) | undefined
  gone = false
  index = 0
  readonly connection: SocketConnection<T>
  readonly trace: ExchangeTrace | null
  readonly restricted: boolean
  readonly #open: OpenExchanges<ListedExchange>
  readonly caller: Caller
  readonly #metrics: FrontMetrics
  /** Bytes that were taken from the memory of the caller. */
  #held = 0

  constructor(
    connection: SocketConnection<T>,
    { open, caller, access }: T,
    metrics: FrontMetrics,
    trace: ExchangeTrace | null,
  ) {
    this.connection = connection
    this.trace = trace
    this.restricted = access.restricted
    this.#open = open
    this.caller = caller
    this.onGone = undefined
    open.add(this)
    caller.begin()
    this.#metrics = metrics
    metrics.messages += 1
    metrics.began()
  }

  answer(body: string | Uint8Array): void {
    if (this.gone) return
    this.#end()
    this.#open.remove(this)
    // A notification has no answer, and an empty frame is none.
    if (body.length > 0) this.connection.answer(body)
    if (this.#metrics.draining && this.#open.size === 0) this.connection.goAway()
    this.#metrics.ended()
    this.trace?.end(200)
  }

  leave(): void {
    this.#end()
    this.#metrics.ended()
    this.trace?.end(null)
    this.onGone?.()
  }

  hold(bytes: number): boolean {
    if (!this.caller.account.memory.take(bytes)) return false
    this.#held += bytes
    return true
  }

  /** Answers that the caller has too much memory in use for so many bytes more. */
  refuseMemory(bytes: number): void {
    const { account } = this.caller
    account.refusedMemory()
    this.answer(errorAnswer('null', account.memory.refusal(bytes)).text)
  }

  #end(): void {
    this.gone = true
    if (this.#held > 0) this.caller.account.memory.release(this.#held)
    this.#held = 0
    this.caller.end()
  }
}
