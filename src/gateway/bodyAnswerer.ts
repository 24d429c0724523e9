import type { RevertForm } from '../config/revertForm.ts'
import {
  ANSWERED_FLAG,
  BATCH_BEGIN_RECORD,
  BATCH_END_RECORD,
  BATCH_TOO_LARGE,
  CACHEABLE_FLAG,
  CACHED_FLAG,
  INVALID_RECORD,
  NESTED_TOO_DEEP,
  NO_JSON,
  NO_METHOD,
  REQUEST_RECORD,
  REQUEST_WORDS,
  TOO_LONG_FLAG,
  WAITS_FLAG,
} from '../native/nativeFastPath.ts'
import { ERROR_TABLE, RpcError, responseTooLarge, toErrorObject } from '../rpc/errors.ts'
import { errorAnswer } from '../rpc/execute.ts'
import { ANSWER_HEAD, failureText } from '../rpc/json.ts'
import { asBuffer } from '../util/bytes.ts'
import type { Caller } from './access/caller.ts'
import type { Admission } from './admission.ts'
import type { AnswerRecords, FastSource } from './answerRecords.ts'
import { BatchCollector } from './collector.ts'
import { type RequestRecord, requestAt, unknownName } from './envelope/requestRecord.ts'
import type { Exchange } from './exchange.ts'
import type { FastPath } from './fastPath/fastPath.ts'
import type { RequestMetrics } from './requestMetrics.ts'
import type { AdmittedRequest, RequestRunner } from './requestRunner.ts'
import type { Route, Router } from './router.ts'
import type { AnswerSink } from './scheduler/ticket.ts'

/** Kind of a record. */
const KIND = 0xff
const NO_PARAMS = Buffer.alloc(0)

/** What bodies are answered with. */
export interface BodyAnswererParts {
  readonly router: Router
  readonly admission: Admission
  readonly fast: FastPath
  readonly runner: RequestRunner
  readonly records: AnswerRecords
  readonly metrics: RequestMetrics
  /** Requests of a batch. */
  readonly batch: number
  /** Bytes of one answer, or of all answers of a batch. */
  readonly answerBytes: number
  /** How reverts are told to callers who want no form of their own. */
  readonly reverts: RevertForm
}

/** A body that has to be answered. */
interface AskedBody {
  readonly bytes: Buffer
  readonly caller: Caller
  readonly exchange: Exchange
  /** Why no request of it is run. */
  readonly refusal?: RpcError | undefined
}

/** A request of a body, or what stands in the place of one. */
interface Place extends AskedBody {
  readonly sink: AnswerSink
  /** Whether nothing else belongs to the exchange. */
  readonly alone: boolean
}

/**
 * Answers bodies: the native core parses each of them once and answers what it can. What is left is charged and run
 * here, request by request, and charged here is also what has its answer: finding out first that it must not be given
 * would take longer.
 */
export class BodyAnswerer {
  readonly #parts: BodyAnswererParts

  constructor(parts: BodyAnswererParts) {
    this.#parts = parts
  }

  /** Answers a body. The bytes are not kept beyond the call. */
  answer(body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange): void {
    const { fast, metrics, records, reverts, batch } = this.#parts
    const sampled = metrics.sample()
    const started = records.clock(exchange)
    const answer = fast.answer(body, caller.reverts !== null && caller.reverts !== reverts)
    if (answer !== null && !fast.isBatch) {
      this.#sendOnly(answer, body, caller, exchange, sampled, started)
      return
    }
    const asked: AskedBody = { bytes: toBuffer(body), caller, exchange }
    const fault = faultOf(fast.result, batch)
    if (fault !== null) this.#refuseBody(caller, sinkOf(exchange), 'null', fault)
    else if (answer !== null) this.#sendBatch(answer, asked, sampled, started)
    else if (!fast.isBatch) this.#answerOnly(asked, sampled, started)
    else this.#answerBatch({ ...asked, refusal: fast.isRefused ? batchTooLarge(batch) : undefined }, started)
  }

  /** Sends the answer of the only request. */
  #sendOnly(
    answer: Uint8Array,
    body: ArrayBuffer | Buffer,
    caller: Caller,
    exchange: Exchange,
    sampled: number,
    started: number,
  ): void {
    const words = this.#parts.fast.records()
    const [flags, method] = [words[0] ?? 0, words[1] ?? 0]
    const paramBytes = (words[5] ?? 0) - (words[4] ?? 0)
    const refusal = this.#charge(caller, exchange, method)
    if (refusal !== null) {
      this.#refuse(method, sinkOf(exchange), requestAt(words, 0, toBuffer(body)).id ?? 'null', refusal)
      return
    }
    exchange.answer(answer, 200)
    const request = { route: this.#routeOf(method), paramBytes, caller, exchange }
    this.#parts.records.fromFastPath(sourceOf(flags), request, answer.length, sampled, started)
  }

  /** Sends the answer of a batch, unless one of its requests must not be answered. */
  #sendBatch(answer: Uint8Array, asked: AskedBody, sampled: number, started: number): void {
    const { fast, records } = this.#parts
    const { bytes, caller, exchange } = asked
    const words = fast.records()
    const requests: RequestRecord[] = []
    // Between the records of its beginning and its end.
    for (let at = 1; at + 1 < fast.recordWords; at += REQUEST_WORDS)
      requests.push(requestAt(words, at, bytes))
    const refusals = requests.map(({ method }) => this.#charge(caller, exchange, method))
    if (refusals.some((refusal) => refusal !== null)) {
      this.#answerBatch(asked, started, refusals)
      return
    }
    exchange.answer(answer, 200)
    const share = Math.floor(answer.length / requests.length)
    for (const { flags, method, params } of requests) {
      const request = { route: this.#routeOf(method), paramBytes: params.length, caller, exchange }
      records.fromFastPath(sourceOf(flags), request, share, sampled, started)
    }
  }

  #answerOnly(asked: AskedBody, sampled: number, started: number): void {
    const words = this.#parts.fast.records()
    const place: Place = { ...asked, sink: sinkOf(asked.exchange), alone: true }
    if (((words[0] ?? 0) & KIND) === INVALID_RECORD) this.#refuseInvalid(place)
    else this.#answerRequest(requestAt(words, 0, asked.bytes), place, sampled, started)
  }

  /** @param charged what admission said of the requests, where it was asked before */
  #answerBatch(asked: AskedBody, started: number, charged?: readonly (RpcError | null)[]): void {
    const { fast, metrics } = this.#parts
    const words = fast.records()
    const count = fast.recordWords
    /** Of the batches in each other. */
    const collectors: BatchCollector[] = []
    let requests = 0
    for (let at = 0; at < count; ) {
      const kind = (words[at] ?? 0) & KIND
      if (kind === BATCH_END_RECORD) {
        collectors.pop()?.end()
        at += 1
        continue
      }
      const sink = collectors.at(-1)?.slot() ?? sinkOf(asked.exchange)
      const place: Place = { ...asked, sink, alone: false }
      if (kind === REQUEST_RECORD) {
        const request = requestAt(words, at, asked.bytes)
        this.#answerRequest(request, place, metrics.sample(), started, charged?.[requests])
        requests += 1
        at += REQUEST_WORDS
        continue
      }
      at += 1
      if (kind !== BATCH_BEGIN_RECORD) this.#refuseInvalid(place)
      else if (((words[at] ?? 0) & KIND) !== BATCH_END_RECORD) collectors.push(this.#collect(place))
      else {
        this.#answerEmpty(place)
        at += 1
      }
    }
  }

  #collect({ caller: { account }, exchange, refusal, sink }: Place): BatchCollector {
    const { answerBytes } = this.#parts
    const tooLarge = refusal ?? responseTooLarge(answerBytes)
    const text = () => failureText('null', toErrorObject(tooLarge))
    const hold = (bytes: number) => (exchange.hold?.(bytes) === false ? account.memory.refusal(bytes) : null)
    return new BatchCollector(answerBytes, text, { hold }, sink)
  }

  /** A batch of nothing is charged like a request for what is no method: it is read like one. */
  #answerEmpty({ caller, sink }: Place): void {
    const { router, admission } = this.#parts
    const refusal = admission.charge(caller, router.unknown)
    if (refusal === null) sink('[]', 200)
    else this.#refuse(router.unknown, sink, 'null', refusal)
  }

  /** @param charged what admission said, where it was asked before */
  #answerRequest(
    request: RequestRecord,
    place: Place,
    sampled: number,
    started: number,
    charged?: RpcError | null,
  ): void {
    const { router, runner } = this.#parts
    const { bytes, caller, exchange } = place
    const { method } = request
    // An object without a method is no notification either: somebody has to be told.
    const isSilent = request.id === null && method !== NO_METHOD
    const sink: AnswerSink = isSilent ? () => place.sink('', 200) : place.sink
    const id = request.id ?? 'null'
    const route = router.routesByIndex[method]
    if (route === undefined || place.refusal !== undefined) {
      const error = place.refusal ?? router.whyNot(unknownName(request, bytes))
      this.#refuseBody(caller, sink, id, error)
      return
    }
    const refusal = charged === undefined ? this.#charge(caller, exchange, method) : charged
    if (refusal !== null) {
      this.#refuse(method, sink, id, refusal)
      return
    }
    const { params, flags } = request
    const recorded = { route, paramBytes: params.length, caller, exchange }
    const admitted = { ...recorded, id, sink, alone: place.alone && !isSilent }
    if (this.#answerFast(request, admitted, sampled, started)) return
    const isCacheable = (flags & CACHEABLE_FLAG) !== 0
    // The body is gone before a worker asks for them.
    const copy = params.length === 0 ? NO_PARAMS : Buffer.from(params)
    runner.answer({ ...admitted, params: copy, isCacheable })
  }

  /** Answers an admitted request in this call; whether it did. */
  #answerFast(
    request: RequestRecord,
    admitted: Omit<AdmittedRequest, 'params' | 'isCacheable'>,
    sampled: number,
    started: number,
  ): boolean {
    const { fast, records } = this.#parts
    const { flags, start, end } = request
    const { sink } = admitted
    if ((flags & ANSWERED_FLAG) !== 0) {
      sink(fast.part(start, end), 200)
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
    const { route, caller, id, sink } = admitted
    const rest = fast.native.find(runner.keyOf(route, caller), params)
    if (rest === null) return false
    const body = ANSWER_HEAD + id + rest
    sink(body, 200)
    records.fromFastPath('cache', admitted, body.length, sampled, started)
    return true
  }

  #routeOf(method: number): Route {
    const route = this.#parts.router.routesByIndex[method]
    if (route === undefined) throw new Error(`no method ${method}`)
    return route
  }

  /** Charges a method to the caller; why it may not call it, or not now, or not from the page that asks. */
  #charge(caller: Caller, { restricted }: Exchange, method: number): RpcError | null {
    const refusal = this.#parts.admission.charge(caller, method)
    if (refusal !== null || restricted !== true) return refusal
    const route = this.#parts.router.routesByIndex[method]
    return route?.privileged === true ? closedToPages(route.definition.name) : null
  }

  #refuseInvalid({ caller, sink }: Place): void {
    this.#refuseBody(caller, sink, 'null', new RpcError('invalidRequest'))
  }

  /** What no method is asked about is charged like a request for one: it is read like the others. */
  #refuseBody(caller: Caller, sink: AnswerSink, id: string, error: RpcError): void {
    const { router, admission } = this.#parts
    this.#refuse(router.unknown, sink, id, admission.charge(caller, router.unknown) ?? error)
  }

  /** @param method place of the method that was asked for */
  #refuse(method: number, sink: AnswerSink, id: string, error: RpcError): void {
    const { metrics } = this.#parts
    metrics.answered(method, 0)
    metrics.failed(method, ERROR_TABLE[error.kind].code)
    const { text, status } = errorAnswer(id, error)
    sink(text, status)
  }
}

/** Why nothing of a body is answered; null where the native core took it. @param most requests of a batch */
function faultOf(result: number, most: number): RpcError | null {
  switch (result) {
    case NO_JSON:
      return new RpcError('parse')
    case NESTED_TOO_DEEP:
      return new RpcError('invalidRequest', 'Invalid request')
    case BATCH_TOO_LARGE:
      return batchTooLarge(most)
    default:
      return null
  }
}

/** The reference's text (rpc.md §1.1). */
function batchTooLarge(most: number): RpcError {
  const text = `Cannot dispatch batch requests. ${most} is the max number of supported batch requests`
  return new RpcError('batchTooLarge', text)
}

function closedToPages(method: string): RpcError {
  return new RpcError(
    'methodUnavailable',
    `the method ${method} is not available to web pages of other origins; --trusted-origins names those that may use it`,
  )
}

function sourceOf(flags: number): FastSource {
  return (flags & CACHED_FLAG) === 0 ? 'core' : 'cache'
}

function sinkOf(exchange: Exchange): AnswerSink {
  return (body, status) => exchange.answer(body, status)
}

function toBuffer(body: ArrayBuffer | Buffer): Buffer {
  return body instanceof Uint8Array ? asBuffer(body) : Buffer.from(body)
}
