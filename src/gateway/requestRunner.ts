import type { BeyondHead } from '../config/beyondHead.ts'
import type { MethodDefinition } from '../rpc/defineMethod.ts'
import { PAGE_STATUS } from '../rpc/execute.ts'
import { logsPage } from '../rpc/internal/logsPage.ts'
import { DELEGATE_TO_WORKER, type Forward, type JsonText, successText } from '../rpc/json.ts'
import { type Preferences, preferencesOf } from '../rpc/preferences.ts'
import type { Caller } from './access/caller.ts'
import type { AnswerRecords, RecordedRequest } from './answerRecords.ts'
import type { CallerSignal, CallerSignals } from './callerSignals.ts'
import type { FrontHead } from './entrance/frontHead.ts'
import { whenGone } from './exchange.ts'
import type { InlineRunner } from './fastPath/inline.ts'
import type { ResponseCache } from './fastPath/responseCache.ts'
import { responseKey } from './fastPath/responseKey.ts'
import { PAGE_ID, PagedAnswer } from './pagedAnswer.ts'
import type { RequestTimes } from './requestWatch.ts'
import type { Route, Router } from './router.ts'
import type { Dispatcher } from './scheduler/dispatcher.ts'
import type { PoolLane } from './scheduler/lanes.ts'
import type { AnswerSink, Ticket } from './scheduler/ticket.ts'

/** One request that may be answered. */
export interface AdmittedRequest extends RecordedRequest {
  readonly route: Route
  /** JSON text. */
  readonly id: string
  /** Its own copy. */
  readonly params: Uint8Array
  /** True when the response may be cached by the parameters; it was looked for. */
  readonly isCacheable: boolean
  readonly sink: AnswerSink
  /** True when nothing else belongs to the exchange. */
  readonly alone: boolean
}

/** One request on its way to its answer: its own, or one instead. */
interface Work extends Omit<AdmittedRequest, 'params'> {
  readonly params: JsonText
  /** True when it is one instead of the caller's. */
  readonly isForwarded: boolean
  readonly times: RequestTimes
}

/** The parts that run requests. */
export interface RequestRunnerParts {
  readonly router: Router
  readonly dispatcher: Dispatcher
  readonly inline: InlineRunner
  readonly answers: ResponseCache
  readonly records: AnswerRecords
  readonly signals: CallerSignals
  /** Bytes of an answer that is put together of pages. */
  readonly answerBytes: number
  /** Preferences for callers without a wish of their own. */
  readonly preferences: Preferences
  /** True when methods can be tried here before the workers. */
  readonly isFront: boolean
  /** The head that the front thread answers at; null unless answers name their block. */
  readonly head: FrontHead | null
}

/** Answers admitted requests that the fast path left: in this thread, or by the workers of the method's lane. */
export class RequestRunner {
  readonly #parts: RequestRunnerParts

  constructor(parts: RequestRunnerParts) {
    this.#parts = parts
  }

  /** Answers a request. */
  answer(request: AdmittedRequest): void {
    const { answers, records } = this.#parts
    const { route, paramBytes, id, params, exchange, sink, alone, isCacheable } = request
    const times: RequestTimes = { started: performance.now(), ticket: null }
    const recorded: AnswerSink = (body, status, block) => {
      sink(body, status, block)
      records.fromMethod(request, id, times, body)
    }
    const key = this.keyOf(route, exchange.caller)
    const kept = isCacheable ? answers.caching(key, params, id, recorded) : recorded
    const isForwarded = false
    this.#run({
      route,
      paramBytes,
      id,
      params,
      exchange,
      sink: kept,
      alone,
      isCacheable,
      isForwarded,
      times,
    })
  }

  /** By what a response to a caller is cached. */
  keyOf(route: Route, { reverts }: Caller): number {
    const own = this.#parts.preferences.reverts
    return responseKey(route, reverts ?? own, own)
  }

  #run(work: Work): void {
    const { lane, definition, fast } = work.route
    if (lane === 'chain') this.#runInChain(work)
    else if (lane === 'inline') this.#runHere(work, definition, null)
    else if (fast !== null && this.#parts.isFront) this.#runHere(work, fast, null)
    else this.#dispatch(work)
  }

  /** Commands may take their time: those that do learn when nobody waits for them any more. */
  #runInChain(work: Work): void {
    let opened: CallerSignal | null = null
    const sink: AnswerSink = (body, status) => {
      opened?.end()
      work.sink(body, status)
    }
    this.#runHere({ ...work, sink }, work.route.definition, () => {
      opened ??= this.#parts.signals.open(work.exchange)
      return opened.signal
    })
  }

  #runHere(work: Work, method: MethodDefinition, signal: (() => AbortSignal) | null): void {
    const { route, id, params, exchange, sink, alone } = work
    const { caller } = exchange
    const { head } = this.#parts
    this.#parts.inline.run(route, method, id, params, sink, {
      connection: exchange.connection ?? null,
      memory: caller.account.memory,
      signal,
      preferences: this.#preferencesOf(caller),
      isOwnForm: this.keyOf(route, caller) === route.index,
      forward: (forward) => this.#forward(work, forward),
      givenHere: head === null ? null : () => exchange.givenAt?.(head.block),
      alone,
    })
  }

  /** Has workers answer the request, or another one instead. */
  #forward(work: Work, forward: Forward): void {
    if (forward === DELEGATE_TO_WORKER) {
      this.#dispatch(work)
      return
    }
    const { method, params, onFailure } = forward
    const route = this.#parts.router.forForward(method)
    if (onFailure === undefined) {
      this.#dispatch({ ...work, route, params, isForwarded: true })
      return
    }
    const { exchange, id } = work
    const head = successText(id, '')
    whenGone(exchange, onFailure)
    const sink: AnswerSink = (body, status) => {
      if (!startsWith(body, head.slice(0, -1))) onFailure()
      work.sink(body, status)
    }
    this.#dispatch({ ...work, route, params, isForwarded: true, sink })
  }

  #dispatch(work: Work): void {
    const { dispatcher, records } = this.#parts
    const { route, id, params, exchange, sink } = work
    const { caller } = exchange
    const answered: AnswerSink = (body, status, block) => {
      if (block !== undefined) exchange.givenAt?.(block)
      if (status === PAGE_STATUS) this.#answerInPages(work, body)
      else sink(body, status, block)
    }
    // What stands for another request, such as a filter with an end, asks for no range.
    const preferences = this.#preferencesOf(caller, work.isForwarded ? 'cut' : null)
    const ticket = this.#submit(caller, route, id, params, preferences, answered)
    work.times.ticket = ticket
    whenGone(exchange, () => {
      if (!ticket.settled) records.abandoned()
      dispatcher.cancel(ticket)
    })
  }

  #answerInPages(work: Work, first: string | Uint8Array): void {
    const { router, dispatcher, records, answerBytes: maxBytes } = this.#parts
    const { id, exchange, sink, alone } = work
    const { caller } = exchange
    const route = router.forForward(logsPage.name)
    let ticket: Ticket | undefined
    whenGone(exchange, () => {
      if (ticket !== undefined) dispatcher.cancel(ticket)
    })
    const ask = (next: string, pageSink: AnswerSink) => {
      ticket = this.#submit(caller, route, PAGE_ID, `[${next}]`, this.#preferencesOf(caller, 'cut'), pageSink)
    }
    const onStreamed = (isWhole: boolean, bytes: number) => {
      if (isWhole) records.fromMethod(work, id, work.times, '', bytes)
      else records.abandoned()
    }
    new PagedAnswer({ id, exchange, alone, maxBytes, sink, ask, onStreamed }).begin(first)
  }

  /** @param beyondHead in place of the caller's wish */
  #preferencesOf(caller: Caller, beyondHead: BeyondHead | null = caller.beyondHead): Preferences {
    const own = this.#parts.preferences
    if (caller.reverts === null && beyondHead === null) return own
    return preferencesOf(caller.reverts ?? own.reverts, beyondHead ?? own.beyondHead)
  }

  #submit(
    caller: Caller,
    route: Route,
    id: string,
    params: JsonText,
    preferences: Preferences,
    sink: AnswerSink,
  ): Ticket {
    const { dispatcher } = this.#parts
    const lane = route.lane as PoolLane
    const ticket: Ticket = {
      client: caller.account,
      method: route.index,
      lane,
      id,
      params,
      preferences,
      deadline: performance.now() + dispatcher.timeLimit(lane),
      startedAt: 0,
      charged: 0,
      slot: -1,
      settled: false,
      sink,
    }
    dispatcher.submit(lane, ticket)
    return ticket
  }
}

function startsWith(body: string | Uint8Array, text: string): boolean {
  if (typeof body === 'string') return body.startsWith(text)
  const head = Buffer.from(text)
  return head.equals(body.subarray(0, head.length))
}
