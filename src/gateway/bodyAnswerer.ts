import {
  BATCH_TOO_LARGE,
  INVALID_RECORD,
  NESTED_TOO_DEEP,
  NO_JSON,
  REQUEST_RECORD,
  REQUEST_WORDS,
} from '../native/nativeFastPath.ts'
import { RpcError } from '../rpc/errors.ts'
import { asBuffer } from '../util/bytes.ts'
import type { Caller } from './access/caller.ts'
import { BatchRun, type BatchRunParts } from './batchRun.ts'
import type { Entrance } from './entrance/entrance.ts'
import type { FrontHead } from './entrance/frontHead.ts'
import { isAnswered, kindAt, methodAt, paramBytesAt, RequestRecord } from './envelope/requestRecord.ts'
import type { Exchange } from './exchange.ts'
import {
  type AnswerSlot,
  type AskedBody,
  RequestAnswerer,
  type RequestAnswererParts,
  sourceOf,
} from './requestAnswerer.ts'
import type { Route } from './router.ts'
import type { FrontWork } from './scheduler/frontWork.ts'
import type { AnswerSink } from './scheduler/ticket.ts'

/** Bytes of a body from which reading it counts in the time of its client: it takes some microseconds. */
const LONG_BODY_BYTES = 4096

const PARSE_ERROR = new RpcError('parse')
const TOO_DEEP = new RpcError('invalidRequest', 'Invalid request')

/** The parts that bodies are answered with. */
export interface BodyAnswererParts extends RequestAnswererParts {
  /** Requests of a batch. */
  readonly batch: number
  /** Bytes of one answer, or of all answers of a batch. */
  readonly answerBytes: number
  /** The head that the front thread answers at; null unless answers name their block. */
  readonly head: FrontHead | null
  /** Has bodies wait for blocks that they name. */
  readonly entrance: Entrance
  /** Shares the front thread among clients. */
  readonly work: FrontWork
}

/**
 * Answers bodies: the native core parses each of them once and answers what it can. What is left is charged and run
 * here, request by request, and charged here is also what has its answer: finding out first that it must not be given
 * would take longer.
 */
export class BodyAnswerer {
  readonly #parts: BodyAnswererParts
  readonly #requests: RequestAnswerer
  readonly #runs: BatchRunParts
  readonly #tooLarge: RpcError

  constructor(parts: BodyAnswererParts) {
    const { metrics, answerBytes, batch } = parts
    this.#parts = parts
    this.#requests = new RequestAnswerer(parts)
    this.#runs = { metrics, requests: this.#requests, answerBytes }
    this.#tooLarge = batchTooLarge(batch)
  }

  /** Answers a body. The bytes of an ArrayBuffer are not kept beyond the call. */
  answer(body: ArrayBuffer | Buffer, exchange: Exchange): void {
    const { fast, metrics, records, preferences, entrance, work } = this.#parts
    const { caller } = exchange
    const sampled = metrics.sample()
    const started = records.clock(exchange)
    const began = body.byteLength > LONG_BODY_BYTES ? performance.now() : 0
    const answer = fast.answer(body, caller.reverts !== null && caller.reverts !== preferences.reverts)
    if (entrance.announced.isBehind && this.#waits(body, exchange)) return
    const isOther = caller.beyondHead !== null && answer !== null && this.#requests.wantsOtherRanges(caller)
    if (!fast.isBatch && !isOther) {
      if (answer !== null) {
        this.#sendOnly(answer, body, exchange, sampled, started)
        if (began !== 0) work.used(caller.account.work, 0, performance.now() - began)
        return
      }
      if (fast.waits) {
        this.#runOnly(body, exchange, sampled)
        return
      }
    }
    const since = began === 0 ? performance.now() : began
    const requests =
      answer === null || isOther
        ? this.#answerParsed({ bytes: toBuffer(body), exchange, sampled, started })
        : this.#sendBatch(answer, body, exchange, sampled, started)
    work.used(caller.account.work, requests - 1, performance.now() - since)
  }

  /**
   * Answers a body that was parsed and of which something is left.
   * @returns requests that were answered or begun
   */
  #answerParsed(asked: AskedBody): number {
    const { fast, work } = this.#parts
    const { exchange } = asked
    const { caller } = exchange
    const isOver = fast.isRefused && work.isOver(caller.account.work)
    const fault = isOver ? this.#tooLarge : this.#faultOf(fast.result)
    if (fault !== null) {
      this.#requests.refuseBody(caller, sinkOf(exchange), 'null', fault)
      return 1
    }
    return this.#answerEach({
      ...asked,
      refusal: fast.isBatch && fast.isRefused ? this.#tooLarge : undefined,
    })
  }

  /**
   * Answers the requests of a body one by one.
   * @returns requests that were answered or begun
   */
  #answerEach(asked: AskedBody): number {
    if (this.#parts.fast.isBatch) return this.#answerBatch(asked)
    this.#answerOnly(asked)
    return 1
  }

  /** Answers every request of a body with an error. The bytes of an ArrayBuffer are not kept beyond the call. */
  refuse(body: ArrayBuffer | Buffer, exchange: Exchange, refusal: RpcError): void {
    const { fast, work } = this.#parts
    const { caller } = exchange
    const since = performance.now()
    fast.answer(body, false)
    const asked: AskedBody = { bytes: toBuffer(body), exchange, sampled: 0, started: 0, refusal }
    const fault = this.#faultOf(fast.result)
    let requests = 1
    if (fault !== null) this.#requests.refuseBody(caller, sinkOf(exchange), 'null', fault)
    else requests = this.#answerEach(asked)
    work.used(caller.account.work, requests - 1, performance.now() - since)
  }

  /** Has a body wait that names blocks of other nodes which this node lacks; false when it is to be answered now. */
  #waits(body: ArrayBuffer | Buffer, exchange: Exchange): boolean {
    const { fast, entrance } = this.#parts
    if (fast.isRefused || this.#faultOf(fast.result) !== null) return false
    return entrance.awaitsNamed(toBuffer(body), exchange)
  }

  /** Sends the answer of the only request. */
  #sendOnly(
    answer: Uint8Array,
    body: ArrayBuffer | Buffer,
    exchange: Exchange,
    sampled: number,
    started: number,
  ): void {
    const words = this.#parts.fast.records()
    const flags = words[0] ?? 0
    const method = methodAt(words, 0)
    const refusal = this.#requests.charge(exchange, method)
    if (refusal !== null) {
      this.#requests.refuse(
        method,
        sinkOf(exchange),
        new RequestRecord(words, 0, toBuffer(body)).id ?? 'null',
        refusal,
      )
      return
    }
    // Another body may be read while this one is sent.
    const paramBytes = paramBytesAt(words, 0)
    exchange.answer(answer, 200)
    const { records } = this.#parts
    records.countFast(sourceOf(flags), method, exchange.caller, answer.length, sampled)
    if (started === 0) return
    records.reportFast({ route: this.#routeOf(method), paramBytes, exchange }, answer.length, started)
  }

  /** Executes the call that is the only request, once it is charged. */
  #runOnly(body: ArrayBuffer | Buffer, exchange: Exchange, sampled: number): void {
    const { fast, records, work } = this.#parts
    const words = fast.records()
    const method = methodAt(words, 0)
    const paramBytes = paramBytesAt(words, 0)
    const began = performance.now()
    const refusal = this.#requests.charge(exchange, method)
    const answer = refusal === null ? fast.run() : null
    if (answer === null)
      this.#answerOnly({ bytes: toBuffer(body), exchange, sampled, started: began }, refusal)
    else {
      exchange.answer(answer, 200)
      records.countFast('core', method, exchange.caller, answer.length, sampled)
      records.reportFast({ route: this.#routeOf(method), paramBytes, exchange }, answer.length, began)
    }
    work.used(exchange.caller.account.work, 0, performance.now() - began)
  }

  /**
   * Sends the answer of a batch, unless one of its requests must not be answered.
   * @returns its requests
   */
  #sendBatch(
    answer: Uint8Array,
    body: ArrayBuffer | Buffer,
    exchange: Exchange,
    sampled: number,
    started: number,
  ): number {
    const { fast, records } = this.#parts
    const words = fast.records()
    // Between the records of its beginning and its end.
    const end = fast.recordWords - 1
    const requests = (end - 1) / REQUEST_WORDS
    let refusals: (RpcError | null)[] | null = null
    for (let at = 1; at < end; ) {
      const next = refusals === null ? endOfAlike(words, at, end) : end
      const method = methodAt(words, at)
      if (refusals === null && this.#requests.chargeAll(exchange, method, (next - at) / REQUEST_WORDS)) {
        at = next
        continue
      }
      for (; at < next; at += REQUEST_WORDS) {
        const refusal = this.#requests.charge(exchange, methodAt(words, at))
        if (refusal === null && refusals === null) continue
        refusals ??= new Array<RpcError | null>((at - 1) / REQUEST_WORDS).fill(null)
        refusals.push(refusal)
      }
    }
    if (refusals !== null)
      return this.#answerBatch({ bytes: toBuffer(body), exchange, sampled, started }, refusals)
    exchange.answer(answer, 200)
    const share = Math.floor(answer.length / requests)
    this.#countBatch(words, end, exchange.caller, share, sampled)
    if (started === 0) return requests
    for (let at = 1; at < end; at += REQUEST_WORDS) {
      const route = this.#routeOf(methodAt(words, at))
      records.reportFast({ route, paramBytes: paramBytesAt(words, at), exchange }, share, started)
    }
    return requests
  }

  /** Counts the requests of an answered batch: those in a row that are alike together, as most are. */
  #countBatch(words: Uint32Array, end: number, caller: Caller, share: number, sampled: number): void {
    const { records } = this.#parts
    for (let at = 1; at < end; ) {
      const flags = words[at] ?? 0
      const method = methodAt(words, at)
      const next = endOfAlike(words, at, end)
      const requests = (next - at) / REQUEST_WORDS
      records.countFast(sourceOf(flags), method, caller, share * requests, sampled, requests)
      at = next
    }
  }

  /** @param charged what admission said of the request, where it was asked before */
  #answerOnly(asked: AskedBody, charged?: RpcError | null): void {
    const { fast } = this.#parts
    const { bytes, exchange, sampled, started, refusal } = asked
    const words = fast.records()
    const sink = sinkOf(exchange)
    if (kindAt(words, 0) === INVALID_RECORD) {
      const { text, status } = this.#requests.refuseInvalid(exchange.caller)
      sink(text, status)
      return
    }
    // Written out: spreading takes a part of the time of a short answer.
    const slot: AnswerSlot = {
      bytes,
      exchange,
      sampled,
      started,
      refusal,
      answers: fast,
      sink,
      alone: true,
    }
    this.#requests.answer(new RequestRecord(words, 0, bytes), slot, charged)
  }

  /**
   * Answers the requests of a batch one by one: as many as its client has time for in this turn, the others later.
   * @param charged what admission said of the requests, where it was asked before
   * @returns those that were begun in this turn
   */
  #answerBatch(asked: AskedBody, charged?: readonly (RpcError | null)[]): number {
    const { fast, head, work } = this.#parts
    const { exchange } = asked
    const words = fast.records()
    const count = fast.recordWords
    if (head !== null && hasAnswers(words, count)) exchange.givenAt?.(head.block)
    const client = exchange.caller.account.work
    const run = new BatchRun(this.#runs, {
      asked,
      sink: sinkOf(exchange),
      words,
      count,
      answers: fast,
      charged,
    })
    const isLeft = run.run(work.limitOf(client)) && run.keep()
    if (isLeft) work.later(client, (until) => run.run(until))
    return run.begun
  }

  #routeOf(method: number): Route {
    const route = this.#parts.router.routesByIndex[method]
    if (route === undefined) throw new Error(`no method ${method}`)
    return route
  }

  /** Reason why nothing of a body is answered; null where the native core took it. */
  #faultOf(result: number): RpcError | null {
    switch (result) {
      case NO_JSON:
        return PARSE_ERROR
      case NESTED_TOO_DEEP:
        return TOO_DEEP
      case BATCH_TOO_LARGE:
        return this.#tooLarge
      default:
        return null
    }
  }
}

/** Where the requests end that follow one another from a place on, for one method and answered alike. */
function endOfAlike(words: Uint32Array, at: number, end: number): number {
  const flags = words[at]
  const method = methodAt(words, at)
  let next = at + REQUEST_WORDS
  while (next < end && words[next] === flags && methodAt(words, next) === method) next += REQUEST_WORDS
  return next
}

/** True when the native core answered a request of the records. */
function hasAnswers(words: Uint32Array, count: number): boolean {
  for (let at = 0; at < count; ) {
    if (kindAt(words, at) !== REQUEST_RECORD) at += 1
    else if (isAnswered(words, at)) return true
    else at += REQUEST_WORDS
  }
  return false
}

/** The reference's text (rpc.md §1.1). */
function batchTooLarge(most: number): RpcError {
  const text = `Cannot dispatch batch requests. ${most} is the max number of supported batch requests`
  return new RpcError('batchTooLarge', text)
}

function sinkOf(exchange: Exchange): AnswerSink {
  return (body, status) => exchange.answer(body, status)
}

function toBuffer(body: ArrayBuffer | Buffer): Buffer {
  return body instanceof Uint8Array ? asBuffer(body) : Buffer.from(body)
}
