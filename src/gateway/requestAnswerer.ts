import {
  ANSWERED_FLAG,
  CACHEABLE_FLAG,
  CACHED_FLAG,
  NO_METHOD,
  TOO_LONG_FLAG,
  WAITS_FLAG,
} from '../native/nativeFastPath.ts'
import { ERROR_TABLE, RpcError } from '../rpc/errors.ts'
import { type Answer, errorAnswer } from '../rpc/execute.ts'
import { ANSWER_HEAD } from '../rpc/json.ts'
import type { Preferences } from '../rpc/preferences.ts'
import type { Caller } from './access/caller.ts'
import type { Admission } from './admission.ts'
import type { AnswerRecords, FastSource } from './answerRecords.ts'
import { type RequestRecord, unknownName } from './envelope/requestRecord.ts'
import type { Exchange } from './exchange.ts'
import type { FastPath } from './fastPath/fastPath.ts'
import type { WrittenAnswers } from './fastPath/writtenAnswers.ts'
import type { RequestMetrics } from './requestMetrics.ts'
import type { AdmittedRequest, RequestRunner } from './requestRunner.ts'
import { INVALID_REQUEST, type Router } from './router.ts'
import type { AnswerSink } from './scheduler/ticket.ts'

const NO_PARAMS = Buffer.alloc(0)

/** The parts that requests are answered with. */
export interface RequestAnswererParts {
  readonly router: Router
  readonly admission: Admission
  readonly fast: FastPath
  readonly runner: RequestRunner
  readonly records: AnswerRecords
  readonly metrics: RequestMetrics
  /** Preferences for callers without a wish of their own. */
  readonly preferences: Preferences
  /** Called for each request of a method that there is not. */
  readonly onUnknown?: (method: string, error: RpcError) => void
}

/** A body of which something is left to be answered here; one that the native core answers whole has none. */
export interface AskedBody {
  readonly bytes: Buffer
  readonly exchange: Exchange
  /** Of `RequestMetrics.sample`. */
  readonly sampled: number
  /** Of `AnswerRecords.clock`. */
  readonly started: number
  /** Reason why no request of it is run. */
  readonly refusal?: RpcError | undefined
}

/** Slot for the answer of a body, or of an element of a batch. */
export interface AnswerSlot extends AskedBody {
  readonly sink: AnswerSink
  /** The answers that the native core has written. */
  readonly answers: WrittenAnswers
  /** True when nothing else belongs to the exchange. */
  readonly alone: boolean
}

/** Charges the requests of a body and answers them: with what the native core wrote, or by the runner. */
export class RequestAnswerer {
  readonly #parts: RequestAnswererParts

  constructor(parts: RequestAnswererParts) {
    this.#parts = parts
  }

  /**
   * Answers a request.
   * @param charged what admission said, where it was asked before
   */
  answer(request: RequestRecord, slot: AnswerSlot, charged?: RpcError | null): void {
    const { router, runner } = this.#parts
    const { bytes, exchange } = slot
    const { caller } = exchange
    const { method } = request
    // An object without a method is no notification either: somebody waits for the error.
    const ownId = request.id
    const isSilent = ownId === null && method !== NO_METHOD
    const sink: AnswerSink = isSilent ? () => slot.sink('', 200) : slot.sink
    const id = ownId ?? 'null'
    const route = router.routesByIndex[method]
    if (route === undefined || slot.refusal !== undefined) {
      this.refuseBody(caller, sink, id, slot.refusal ?? this.#whyNot(unknownName(request, bytes)))
      return
    }
    const refusal = charged === undefined ? this.charge(exchange, method) : charged
    if (refusal !== null) {
      this.refuse(method, sink, id, refusal)
      return
    }
    const { params, flags } = request
    const paramBytes = params.length
    const alone = slot.alone && !isSilent
    // Objects are written out here: spreading them took a third of the time of a short call.
    const isOther = route.definition.cutsRanges && this.wantsOtherRanges(caller)
    if (!isOther && this.#answerFast(request, slot, { route, paramBytes, exchange, id, sink, alone })) return
    // What is cached is as callers get it who want nothing of their own.
    const isCacheable = !isOther && (flags & CACHEABLE_FLAG) !== 0
    // The body is gone before a worker asks for them.
    const copy = paramBytes === 0 ? NO_PARAMS : Buffer.from(params)
    runner.answer({ route, paramBytes, exchange, id, sink, alone, params: copy, isCacheable })
  }

  #whyNot(name: string | null): RpcError {
    const { router, onUnknown } = this.#parts
    const error = router.whyNot(name)
    if (name !== null) onUnknown?.(name, error)
    return error
  }

  /** True when ranges beyond the head are not to be dealt with as this node does. */
  wantsOtherRanges({ beyondHead }: Caller): boolean {
    return beyondHead !== null && beyondHead !== this.#parts.preferences.beyondHead
  }

  /** Answers an admitted request in this call; whether it did. */
  #answerFast(
    request: RequestRecord,
    { answers, sampled, started }: AnswerSlot,
    admitted: Omit<AdmittedRequest, 'params' | 'isCacheable'>,
  ): boolean {
    const { fast, records } = this.#parts
    const { flags, start, end } = request
    const { sink } = admitted
    if ((flags & ANSWERED_FLAG) !== 0) {
      sink(answers.part(start, end), 200)
      records.fromFastPath(sourceOf(flags), admitted, end - start, sampled, started)
      return true
    }
    if ((flags & TOO_LONG_FLAG) !== 0) return this.#answerFromCache(request, admitted, sampled, started)
    if ((flags & WAITS_FLAG) === 0) return false
    const began = performance.now()
    const answer = fast.run()
    if (answer === null) return false
    sink(answer, 200)
    records.fromFastPath('core', admitted, answer.length, sampled, began)
    return true
  }

  /** A cached response that is longer than the output of the native core. */
  #answerFromCache(
    { params }: RequestRecord,
    admitted: Omit<AdmittedRequest, 'params' | 'isCacheable'>,
    sampled: number,
    started: number,
  ): boolean {
    const { fast, records, runner } = this.#parts
    const { route, exchange, id, sink } = admitted
    const rest = fast.native.find(runner.keyOf(route, exchange.caller), params)
    if (rest === null) return false
    const body = ANSWER_HEAD + id + rest
    sink(body, 200)
    records.fromFastPath('cache', admitted, body.length, sampled, started)
    return true
  }

  /** Charges a method to the caller; why it may not call it, or not now, or not from the page that asks. */
  charge({ caller, restricted }: Exchange, method: number): RpcError | null {
    const refusal = this.#parts.admission.charge(caller, method)
    if (refusal !== null || restricted !== true) return refusal
    const route = this.#parts.router.routesByIndex[method]
    return route?.privileged === true ? closedToPages(route.definition.name) : null
  }

  /** Charges requests for one method together; false, and nothing is charged, where each is to be charged by itself. */
  chargeAll({ caller, restricted }: Exchange, method: number, requests: number): boolean {
    return restricted !== true && this.#parts.admission.chargeAll(caller, method, requests)
  }

  /** Charges a body without a method like a request for one: it is read like the others. */
  refuseBody(caller: Caller, sink: AnswerSink, id: string, error: RpcError): void {
    const { router, admission } = this.#parts
    this.refuse(router.unknown, sink, id, admission.charge(caller, router.unknown) ?? error)
  }

  /** Charges and counts what is no request; its answer. */
  refuseInvalid(caller: Caller): Answer {
    const { router, admission } = this.#parts
    const error = admission.charge(caller, router.unknown) ?? INVALID_REQUEST
    this.#count(router.unknown, error)
    return answerOf('null', error)
  }

  /** Answers with an error. @param method index of the method that was asked for */
  refuse(method: number, sink: AnswerSink, id: string, error: RpcError): void {
    this.#count(method, error)
    const { text, status } = answerOf(id, error)
    sink(text, status)
  }

  #count(method: number, error: RpcError): void {
    const { metrics } = this.#parts
    metrics.answered(method, 0)
    metrics.failed(method, ERROR_TABLE[error.kind].code)
  }
}

const INVALID_ANSWER = errorAnswer('null', INVALID_REQUEST)

/** A body that is no request has no id either: the answer to it is made once. */
function answerOf(id: string, error: RpcError): Answer {
  return error === INVALID_REQUEST && id === 'null' ? INVALID_ANSWER : errorAnswer(id, error)
}

/** Source of an answer of the native core. */
export function sourceOf(flags: number): FastSource {
  return (flags & CACHED_FLAG) === 0 ? 'core' : 'cache'
}

function closedToPages(method: string): RpcError {
  return new RpcError(
    'methodUnavailable',
    `the method ${method} is not available to web pages of other origins; --trusted-origins names those that may use it`,
  )
}
