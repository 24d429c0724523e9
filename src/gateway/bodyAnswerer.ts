import type { RevertForm } from '../config/revertForm.ts'
import {
  ANSWERED_FLAG,
  BATCH_BEGIN_RECORD,
  BATCH_END_RECORD,
  BATCH_TOO_LARGE,
  INVALID_RECORD,
  NESTED_TOO_DEEP,
  NO_JSON,
  REQUEST_RECORD,
  REQUEST_WORDS,
} from '../native/nativeFastPath.ts'
import { RpcError, responseTooLarge, toErrorObject } from '../rpc/errors.ts'
import { failureText } from '../rpc/json.ts'
import { namedBlocks } from '../rpc/namedBlocks.ts'
import type { BlockName } from '../rpc/params/param.ts'
import { asBuffer } from '../util/bytes.ts'
import type { Caller } from './access/caller.ts'
import { BatchCollector } from './collector.ts'
import type { AnnouncedBlocks } from './entrance/announcedBlocks.ts'
import type { FrontHead } from './entrance/frontHead.ts'
import { methodAt, paramBytesAt, requestAt } from './envelope/requestRecord.ts'
import type { Exchange } from './exchange.ts'
import {
  type AnswerSlot,
  type AskedBody,
  RequestAnswerer,
  type RequestAnswererParts,
  sourceOf,
} from './requestAnswerer.ts'
import type { Route } from './router.ts'
import type { AnswerSink } from './scheduler/ticket.ts'

/** Kind of a record. */
const KIND = 0xff

/** What bodies are answered with. */
export interface BodyAnswererParts extends RequestAnswererParts {
  /** Requests of a batch. */
  readonly batch: number
  /** Bytes of one answer, or of all answers of a batch. */
  readonly answerBytes: number
  /** How reverts are told to callers who want no form of their own. */
  readonly reverts: RevertForm
  /** The head that the front thread answers at; null where nobody is told. */
  readonly head: FrontHead | null
  /** Blocks that other nodes have. */
  readonly announced: AnnouncedBlocks
  /** Has a body wait for blocks that it names. */
  readonly wait: (
    names: readonly BlockName[],
    body: ArrayBuffer | Buffer,
    caller: Caller,
    exchange: Exchange,
  ) => void
}

/**
 * Answers bodies: the native core parses each of them once and answers what it can. What is left is charged and run
 * here, request by request, and charged here is also what has its answer: finding out first that it must not be given
 * would take longer.
 */
export class BodyAnswerer {
  readonly #parts: BodyAnswererParts
  readonly #requests: RequestAnswerer

  constructor(parts: BodyAnswererParts) {
    this.#parts = parts
    this.#requests = new RequestAnswerer(parts)
  }

  /** Answers a body. The bytes are not kept beyond the call. */
  answer(body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange): void {
    const { fast, metrics, records, reverts, batch, announced } = this.#parts
    const sampled = metrics.sample()
    const started = records.clock(exchange)
    const answer = fast.answer(body, caller.reverts !== null && caller.reverts !== reverts)
    if (announced.isBehind && this.#waits(body, caller, exchange)) return
    if (caller.beyondHead !== null && answer !== null && this.#requests.wantsOtherRanges(caller)) {
      this.#answerEach({ bytes: toBuffer(body), caller, exchange }, sampled, started)
      return
    }
    if (!fast.isBatch) {
      if (answer !== null) {
        this.#sendOnly(answer, body, caller, exchange, sampled, started)
        return
      }
      if (fast.waits) {
        this.#runOnly(body, caller, exchange, sampled)
        return
      }
    }
    const asked: AskedBody = { bytes: toBuffer(body), caller, exchange }
    const fault = faultOf(fast.result, batch)
    if (fault !== null) this.#requests.refuseBody(caller, sinkOf(exchange), 'null', fault)
    else if (answer !== null) this.#sendBatch(answer, asked, sampled, started)
    else if (!fast.isBatch) this.#answerOnly(asked, sampled, started)
    else this.#answerBatch({ ...asked, refusal: fast.isRefused ? batchTooLarge(batch) : undefined }, started)
  }

  /** Answers the requests of a body one by one. */
  #answerEach(asked: AskedBody, sampled: number, started: number): void {
    if (this.#parts.fast.isBatch) this.#answerBatch(asked, started)
    else this.#answerOnly(asked, sampled, started)
  }

  /** Answers every request of a body with an error. The bytes are not kept beyond the call. */
  refuse(body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange, refusal: RpcError): void {
    const { fast, batch } = this.#parts
    fast.answer(body, false)
    const asked: AskedBody = { bytes: toBuffer(body), caller, exchange, refusal }
    const fault = faultOf(fast.result, batch)
    if (fault !== null) this.#requests.refuseBody(caller, sinkOf(exchange), 'null', fault)
    else this.#answerEach(asked, 0, 0)
  }

  /** Has the body wait if it names blocks that others have and this node lacks; whether it does. */
  #waits(body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange): boolean {
    const { fast, batch, router, announced, wait } = this.#parts
    if (fast.isRefused || faultOf(fast.result, batch) !== null) return false
    const bytes = toBuffer(body)
    const words = fast.records()
    const lacking: BlockName[] = []
    for (let at = 0; at < fast.recordWords; ) {
      if (((words[at] ?? 0) & KIND) !== REQUEST_RECORD) {
        at += 1
        continue
      }
      const route = router.routesByIndex[methodAt(words, at)]
      if (route !== undefined) {
        const names = namedBlocks(route.definition, requestAt(words, at, bytes).params)
        lacking.push(...names.filter((name) => announced.lacks(name)))
      }
      at += REQUEST_WORDS
    }
    if (lacking.length === 0) return false
    wait(lacking, body, caller, exchange)
    return true
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
    const flags = words[0] ?? 0
    const method = methodAt(words, 0)
    const refusal = this.#requests.charge(caller, exchange, method)
    if (refusal !== null) {
      this.#requests.refuse(
        method,
        sinkOf(exchange),
        requestAt(words, 0, toBuffer(body)).id ?? 'null',
        refusal,
      )
      return
    }
    // Another body may be read while this one is sent.
    const paramBytes = paramBytesAt(words, 0)
    exchange.answer(answer, 200)
    const { records } = this.#parts
    records.countFast(sourceOf(flags), method, caller, answer.length, sampled)
    if (started === 0) return
    records.reportFast({ route: this.#routeOf(method), paramBytes, caller, exchange }, answer.length, started)
  }

  /** Executes the call that is the only request, once it is charged. */
  #runOnly(body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange, sampled: number): void {
    const { fast, records } = this.#parts
    const words = fast.records()
    const method = methodAt(words, 0)
    const paramBytes = paramBytesAt(words, 0)
    const began = performance.now()
    const refusal = this.#requests.charge(caller, exchange, method)
    const answer = refusal === null ? fast.run() : null
    if (answer === null) {
      this.#answerOnly({ bytes: toBuffer(body), caller, exchange }, sampled, began, refusal)
      return
    }
    exchange.answer(answer, 200)
    records.countFast('core', method, caller, answer.length, sampled)
    records.reportFast({ route: this.#routeOf(method), paramBytes, caller, exchange }, answer.length, began)
  }

  /** Sends the answer of a batch, unless one of its requests must not be answered. */
  #sendBatch(answer: Uint8Array, asked: AskedBody, sampled: number, started: number): void {
    const { fast, records } = this.#parts
    const { caller, exchange } = asked
    const words = fast.records()
    // Between the records of its beginning and its end.
    const end = fast.recordWords - 1
    const requests = (end - 1) / REQUEST_WORDS
    let refusals: (RpcError | null)[] | null = null
    for (let at = 1; at < end; at += REQUEST_WORDS) {
      const refusal = this.#requests.charge(caller, exchange, methodAt(words, at))
      if (refusal === null && refusals === null) continue
      refusals ??= new Array<RpcError | null>((at - 1) / REQUEST_WORDS).fill(null)
      refusals.push(refusal)
    }
    if (refusals !== null) {
      this.#answerBatch(asked, started, refusals)
      return
    }
    exchange.answer(answer, 200)
    const share = Math.floor(answer.length / requests)
    this.#countBatch(words, end, caller, share, sampled)
    if (started === 0) return
    for (let at = 1; at < end; at += REQUEST_WORDS) {
      const route = this.#routeOf(methodAt(words, at))
      records.reportFast({ route, paramBytes: paramBytesAt(words, at), caller, exchange }, share, started)
    }
  }

  /** Counts the requests of an answered batch: those in a row that are alike together, as most are. */
  #countBatch(words: Uint32Array, end: number, caller: Caller, share: number, sampled: number): void {
    const { records } = this.#parts
    for (let at = 1; at < end; ) {
      const flags = words[at] ?? 0
      const method = methodAt(words, at)
      let next = at + REQUEST_WORDS
      while (next < end && words[next] === flags && methodAt(words, next) === method) next += REQUEST_WORDS
      const requests = (next - at) / REQUEST_WORDS
      records.countFast(sourceOf(flags), method, caller, share * requests, sampled, requests)
      at = next
    }
  }

  /** @param charged what admission said of the request, where it was asked before */
  #answerOnly(
    { bytes, caller, exchange, refusal }: AskedBody,
    sampled: number,
    started: number,
    charged?: RpcError | null,
  ): void {
    const words = this.#parts.fast.records()
    const slot: AnswerSlot = {
      bytes,
      caller,
      exchange,
      refusal,
      sink: sinkOf(exchange),
      alone: true,
    }
    if (((words[0] ?? 0) & KIND) === INVALID_RECORD) this.#refuseInvalid(slot)
    else this.#requests.answer(requestAt(words, 0, bytes), slot, sampled, started, charged)
  }

  /** @param charged what admission said of the requests, where it was asked before */
  #answerBatch(asked: AskedBody, started: number, charged?: readonly (RpcError | null)[]): void {
    const { fast, metrics, head } = this.#parts
    const { bytes, caller, exchange, refusal } = asked
    const words = fast.records()
    const count = fast.recordWords
    if (head !== null && hasAnswers(words, count)) exchange.givenAt?.(head.block)
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
      const sink = collectors.at(-1)?.slot() ?? sinkOf(exchange)
      const slot: AnswerSlot = { bytes, caller, exchange, refusal, sink, alone: false }
      if (kind === REQUEST_RECORD) {
        const request = requestAt(words, at, bytes)
        this.#requests.answer(request, slot, metrics.sample(), started, charged?.[requests])
        requests += 1
        at += REQUEST_WORDS
        continue
      }
      at += 1
      if (kind !== BATCH_BEGIN_RECORD) this.#refuseInvalid(slot)
      else if (((words[at] ?? 0) & KIND) !== BATCH_END_RECORD) collectors.push(this.#collect(slot))
      else {
        // A batch of nothing is no request (JSON-RPC 2.0).
        this.#refuseInvalid(slot)
        at += 1
      }
    }
  }

  #collect({ caller: { account }, exchange, refusal, sink }: AnswerSlot): BatchCollector {
    const { answerBytes } = this.#parts
    const tooLarge = refusal ?? responseTooLarge(answerBytes)
    const text = () => failureText('null', toErrorObject(tooLarge))
    const hold = (bytes: number) => (exchange.hold?.(bytes) === false ? account.memory.refusal(bytes) : null)
    return new BatchCollector(answerBytes, text, { hold }, sink)
  }

  #routeOf(method: number): Route {
    const route = this.#parts.router.routesByIndex[method]
    if (route === undefined) throw new Error(`no method ${method}`)
    return route
  }

  #refuseInvalid({ caller, sink }: AnswerSlot): void {
    this.#requests.refuseBody(caller, sink, 'null', new RpcError('invalidRequest'))
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

/** Whether the native core answered a request of the records. */
function hasAnswers(words: Uint32Array, count: number): boolean {
  for (let at = 0; at < count; ) {
    const word = words[at] ?? 0
    if ((word & KIND) !== REQUEST_RECORD) at += 1
    else if ((word & ANSWERED_FLAG) !== 0) return true
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
