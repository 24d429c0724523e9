import type { WatchedRequest } from '../observe/tracing.ts'
import type { Caller } from './access/caller.ts'
import { errorCodeOf } from './envelope/answerCode.ts'
import type { Exchange } from './exchange.ts'
import type { RequestMetrics } from './requestMetrics.ts'
import type { RequestTimes, RequestWatch } from './requestWatch.ts'
import type { Route } from './router.ts'

/** Of a request, what is told of its answer. */
export interface NotedRequest {
  readonly route: Route
  /** JSON text. */
  readonly id: string
  /** JSON text. */
  readonly params: string
  readonly caller: Caller
  readonly exchange: Exchange
}

/** Counts answers, by method and by caller, and tells of slow and traced ones. */
export class AnswerRecords {
  readonly #metrics: RequestMetrics
  readonly #watch: RequestWatch | null

  constructor(metrics: RequestMetrics, watch: RequestWatch | null) {
    this.#metrics = metrics
    this.#watch = watch
  }

  /** The time from which on an answer is slow, milliseconds. */
  get slow(): number {
    return this.#watch?.threshold ?? Number.POSITIVE_INFINITY
  }

  /** An answer of the native core in the front thread. @param sampled of `RequestMetrics.sample` */
  fromCore(method: number, caller: Caller, bytes: number, sampled: number): void {
    caller.answered(method, bytes, false)
    this.#metrics.answeredInFront(method, sampled)
  }

  /** A cached response. @param sampled of `RequestMetrics.sample` */
  fromKept(method: number, caller: Caller, bytes: number, sampled: number): void {
    caller.answered(method, bytes, false)
    this.#metrics.answeredFromKept(method, sampled)
  }

  /**
   * An answer of a method.
   * @param body empty for one that was sent page by page
   * @param bytes that were sent
   */
  fromMethod(
    request: NotedRequest,
    times: RequestTimes,
    body: string | Uint8Array,
    bytes: number = body.length,
  ): void {
    const { route, id, caller } = request
    const now = performance.now()
    const elapsed = now - times.started
    const code = errorCodeOf(body, id)
    caller.answered(route.index, bytes, code !== null)
    this.#metrics.answered(route.index, elapsed)
    if (code !== null) this.#metrics.failed(route.index, code)
    if (elapsed >= this.slow || request.exchange.trace != null) {
      this.tell(request, times, now, code, bytes)
    }
  }

  /** Tells of an answer that is slow or traced. @param ended milliseconds of `performance.now()` */
  tell(
    { route, params, caller, exchange }: NotedRequest,
    times: RequestTimes,
    ended: number,
    code: number | null,
    answerBytes: number,
  ): void {
    const told: WatchedRequest = {
      method: route.definition.name,
      lane: route.lane,
      caller: caller.name,
      requestId: exchange.requestId ?? null,
      code,
      started: times.started,
      sent: times.ticket?.startedAt || null,
      ended,
      paramBytes: params.length,
      answerBytes,
    }
    if (ended - times.started >= this.slow) this.#watch?.onSlow(told)
    exchange.trace?.request(told)
  }

  /** A client went away before its answer. */
  abandoned(): void {
    this.#metrics.abandoned += 1
  }
}
