import {
  BATCH_BEGIN_RECORD,
  BATCH_END_RECORD,
  REQUEST_RECORD,
  REQUEST_WORDS,
} from '../native/nativeFastPath.ts'
import { type RpcError, responseTooLarge } from '../rpc/errors.ts'
import { errorAnswer } from '../rpc/execute.ts'
import { EMPTY_BYTES } from '../util/bytes.ts'
import { BatchCollector, type BatchMemory } from './collector.ts'
import { answerEndAt, answerStartAt, isAnswered, kindAt, RequestRecord } from './envelope/requestRecord.ts'
import { KeptAnswers, type WrittenAnswers } from './fastPath/writtenAnswers.ts'
import type { AnswerSlot, AskedBody, RequestAnswerer } from './requestAnswerer.ts'
import type { RequestMetrics } from './requestMetrics.ts'
import type { AnswerSink } from './scheduler/ticket.ts'

/**
 * Steps between two looks at the clock, which takes a tenth of the shortest answer. A batch of fewer is never divided.
 */
const LOOK_EVERY = 8

/** The parts that batches are answered with. */
export interface BatchRunParts {
  readonly metrics: RequestMetrics
  readonly requests: RequestAnswerer
  /** Bytes of one answer, or of all answers of a batch. */
  readonly answerBytes: number
}

/** A batch as the native core has read it. */
export interface ReadBatch {
  readonly asked: AskedBody
  readonly sink: AnswerSink
  readonly words: Uint32Array
  /** Words that belong to the body. */
  readonly count: number
  /** The answers that are written already. */
  readonly answers: WrittenAnswers
  /** The verdicts of admission on the requests, where it was asked before. */
  readonly charged: readonly (RpcError | null)[] | undefined
}

/** Answers the elements of a batch one by one as far as there is time; the rest can be answered later. */
export class BatchRun {
  /** Elements that were answered or begun. */
  begun = 0
  readonly #parts: BatchRunParts
  #batch: ReadBatch
  #at = 0
  #requests = 0
  /** True when what is left is refused because its client has no memory for it. */
  #isOutOfMemory = false
  /** Of the batches in each other. */
  readonly #collectors: BatchCollector[] = []

  constructor(parts: BatchRunParts, batch: ReadBatch) {
    this.#parts = parts
    this.#batch = batch
  }

  /** Answers until a time of `performance.now()`. @returns whether something is left */
  run(until: number): boolean {
    if (this.#batch.asked.exchange.gone) return false
    for (let steps = 0; this.#at < this.#batch.count; steps += 1) {
      if (steps > 0 && steps % LOOK_EVERY === 0 && performance.now() >= until) return true
      this.#step()
    }
    return false
  }

  /**
   * Copies what lies in memory that the next body takes. Where the client has no memory for that, what is left is
   * refused at once.
   * @returns whether something is left
   */
  keep(): boolean {
    const { asked, words, count, answers } = this.#batch
    const rest = words.slice(this.#at, count)
    const kept = keptAnswers(rest, answers)
    const taken = rest.byteLength + kept.length
    if (asked.exchange.hold?.(taken) === false) {
      const { account } = asked.exchange.caller
      account.refusedMemory()
      this.#isOutOfMemory = true
      this.#batch = { ...this.#batch, asked: { ...asked, refusal: account.memory.refusal(taken) } }
      return this.run(Number.POSITIVE_INFINITY)
    }
    this.#batch = {
      ...this.#batch,
      asked: { ...asked, bytes: Buffer.from(asked.bytes) },
      words: rest,
      count: rest.length,
      answers: kept,
    }
    this.#at = 0
    return true
  }

  #step(): void {
    const { asked, words, answers, sink: whole, charged } = this.#batch
    const kind = kindAt(words, this.#at)
    if (kind === BATCH_END_RECORD) {
      this.#collectors.pop()?.end()
      this.#at += 1
      return
    }
    const { metrics, requests } = this.#parts
    const { bytes, exchange, started, refusal } = asked
    const collector = this.#collectors.at(-1)
    this.begun += 1
    if (kind === REQUEST_RECORD) {
      const sink = collector?.slot(this.#isOutOfMemory) ?? whole
      // Written out: spreading takes a part of the time of a short answer.
      const sampled = metrics.sample()
      const slot: AnswerSlot = {
        bytes,
        exchange,
        sampled,
        started,
        refusal,
        answers,
        sink,
        alone: false,
      }
      const request = new RequestRecord(words, this.#at, bytes)
      requests.answer(request, slot, charged?.[this.#requests])
      this.#requests += 1
      this.#at += REQUEST_WORDS
      return
    }
    this.#at += 1
    const isBegin = kind === BATCH_BEGIN_RECORD
    if (isBegin && kindAt(words, this.#at) !== BATCH_END_RECORD) {
      this.#collectors.push(this.#collect(asked, collector?.slot() ?? whole))
      return
    }
    // A batch of nothing is no request (JSON-RPC 2.0, Batch).
    if (isBegin) this.#at += 1
    const answer = requests.refuseInvalid(exchange.caller)
    if (collector === undefined) whole(answer.text, answer.status)
    else collector.add(answer.text, this.#isOutOfMemory)
  }

  #collect({ exchange, refusal }: AskedBody, sink: AnswerSink): BatchCollector {
    const { answerBytes } = this.#parts
    const { account } = exchange.caller
    const tooLarge = () => errorAnswer('null', refusal ?? responseTooLarge(answerBytes)).text
    const memory: BatchMemory = {
      hold: (bytes) => exchange.hold?.(bytes) !== false,
      refusal: (bytes) => account.memory.refusal(bytes),
    }
    return new BatchCollector(answerBytes, tooLarge, memory, sink)
  }
}

/** A copy of the answers that records name. */
function keptAnswers(words: Uint32Array, answers: WrittenAnswers): KeptAnswers {
  let first = Number.POSITIVE_INFINITY
  let last = 0
  for (let at = 0; at < words.length; ) {
    if (kindAt(words, at) !== REQUEST_RECORD) {
      at += 1
      continue
    }
    if (isAnswered(words, at)) {
      first = Math.min(first, answerStartAt(words, at))
      last = Math.max(last, answerEndAt(words, at))
    }
    at += REQUEST_WORDS
  }
  return new KeptAnswers(last === 0 ? EMPTY_BYTES : answers.part(first, last), first)
}
