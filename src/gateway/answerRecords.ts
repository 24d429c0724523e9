import type { WatchedRequest } from '../observe/tracing.ts'
import type { Caller } from './access/caller.ts'
import { errorCodeOf } from './envelope/answerCode.ts'
import type { Exchange } from './exchange.ts'
import type { RequestMetrics } from './requestMetrics.ts'
import type { RequestTimes, RequestWatch } from './requestWatch.ts'
import type { Route } from './router.ts'

/** Slow from less than this on, milliseconds, answers of the fast path may be, too: then a clock is read for each. */
const FAST_MILLISECONDS = 1

/** Of a request, what is recorded with its answer. */
export interface RecordedRequest {
  readonly route: Route
  /** Bytes of the parameters, as JSON text. */
  readonly paramBytes: number
  readonly exchange: Exchange
}

/** Source of an answer of the fast path: the native core, or the response cache. */
export type FastSource = 'core' | 'cache'

/** Counts answers, by method and by caller, and reports slow and traced ones, whatever way they went. */
export class AnswerRecords {
  readonly #metrics: RequestMetrics
  readonly #watch: RequestWatch | null

  constructor(metrics: RequestMetrics, watch: RequestWatch | null) {
    this.#metrics = metrics
    this.#watch = watch
  }

  /** The time now if an answer of the fast path is to be timed for a report, else 0: reading a clock takes long. */
  clock({ trace }: Exchange): number {
    const isTimed = trace != null || (this.#watch !== null && this.#watch.threshold <= FAST_MILLISECONDS)
    return isTimed ? performance.now() : 0
  }

  /**
   * An answer of the fast path.
   * @param sampled of `RequestMetrics.sample`
   * @param started of {@link clock}
   */
  fromFastPath(
    source: FastSource,
    request: RecordedRequest,
    bytes: number,
    sampled: number,
    started: number,
  ): void {
    this.countFast(source, request.route.index, request.exchange.caller, bytes, sampled)
    if (started !== 0) this.reportFast(request, bytes, started)
  }

  /**
   * Counts an answer of the fast path: the part of {@link fromFastPath} that every answer has.
   * @param requests of a batch, of one method and source, that are counted together
   */
  countFast(
    source: FastSource,
    method: number,
    caller: Caller,
    bytes: number,
    sampled: number,
    requests: number = 1,
  ): void {
    caller.answered(method, bytes, false)
    if (source === 'core') this.#metrics.answeredInFront(method, sampled, requests)
    else this.#metrics.answeredFromCache(method, sampled, requests)
  }

  /** Reports a timed answer of the fast path. */
  reportFast(request: RecordedRequest, bytes: number, started: number): void {
    this.#report(request, { started, ticket: null }, performance.now(), null, bytes)
  }

  /**
   * An answer of a method.
   * @param id JSON text
   * @param body empty for one that was sent page by page
   * @param bytes that were sent
   */
  fromMethod(
    request: RecordedRequest,
    id: string,
    times: RequestTimes,
    body: string | Uint8Array,
    bytes: number = body.length,
  ): void {
    const { route, exchange } = request
    const now = performance.now()
    const elapsed = now - times.started
    const code = errorCodeOf(body, id)
    exchange.caller.answered(route.index, bytes, code !== null)
    this.#metrics.answered(route.index, elapsed)
    if (code !== null) this.#metrics.failed(route.index, code)
    this.#report(request, times, now, code, bytes)
  }

  /** Reports an answer that is slow or traced. @param ended milliseconds of `performance.now()` */
  #report(
    { route, paramBytes, exchange }: RecordedRequest,
    times: RequestTimes,
    ended: number,
    code: number | null,
    answerBytes: number,
  ): void {
    const watch = this.#watch
    const isSlow = watch !== null && ended - times.started >= watch.threshold
    if (!isSlow && exchange.trace == null) return
    const watched: WatchedRequest = {
      method: route.definition.name,
      lane: route.lane,
      caller: exchange.caller.name,
      requestId: exchange.requestId ?? null,
      code,
      started: times.started,
      sent: times.ticket?.startedAt || null,
      ended,
      paramBytes,
      answerBytes,
    }
    if (isSlow) watch.onSlow(watched)
    exchange.trace?.request(watched)
  }

  /** A client went away before its answer. */
  abandoned(): void {
    this.#metrics.abandoned += 1
  }
}
