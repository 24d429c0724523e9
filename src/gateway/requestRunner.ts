import type { RevertForm } from '../config/revertForm.ts'
import { PAGE_STATUS } from '../rpc/execute.ts'
import { logsPage } from '../rpc/internal/logsPage.ts'
import { ANSWER_HEAD, DELEGATE_TO_WORKER, type Forward, successText } from '../rpc/json.ts'
import type { Caller } from './access/caller.ts'
import type { AnswerRecords, NotedRequest } from './answerRecords.ts'
import type { CallerSignal, CallerSignals } from './callerSignals.ts'
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
export interface AdmittedRequest extends NotedRequest {
  readonly sink: AnswerSink
  /** Whether nothing else belongs to the exchange. */
  readonly alone: boolean
}

/** One request on its way to its answer. */
interface Work extends AdmittedRequest {
  readonly times: RequestTimes
}

/** What runs requests. */
export interface RequestRunnerParts {
  readonly router: Router
  readonly dispatcher: Dispatcher
  readonly inline: InlineRunner
  readonly answers: ResponseCache
  readonly notes: AnswerRecords
  readonly signals: CallerSignals
  /** Bytes of an answer that is put together of pages. */
  readonly answerBytes: number
  /** How reverts are told to callers who want no form of their own. */
  readonly reverts: RevertForm
  /** Whether methods can be tried here before the workers. */
  readonly isFront: boolean
}

/** Answers admitted requests: from cached responses, in this thread, or by the workers of the method's lane. */
export class RequestRunner {
  readonly #parts: RequestRunnerParts

  constructor(parts: RequestRunnerParts) {
    this.#parts = parts
  }

  /** Answers a request. @param sampled of `RequestMetrics.sample` */
  answer(request: AdmittedRequest, sampled: number): void {
    const { answers, inline, notes } = this.#parts
    const { route, id, params, caller, sink } = request
    const key = this.#keyFor(route, caller)
    const keeps = route.keepsAtHead && answers.canKeep(params)
    const kept = keeps ? answers.find(key, params) : (inline.kept(key, params) ?? null)
    if (kept !== null) {
      const body = ANSWER_HEAD + id + kept
      sink(body, 200)
      notes.fromKept(route.index, caller, body.length, sampled)
      return
    }
    const times: RequestTimes = { started: performance.now(), ticket: null }
    const noted: AnswerSink = (body, status) => {
      sink(body, status)
      notes.fromMethod(request, times, body)
    }
    this.#run({ ...request, times, sink: keeps ? answers.keeping(key, params, id, noted) : noted })
  }

  #keyFor(route: Route, { reverts }: Caller): number {
    const own = this.#parts.reverts
    return responseKey(route, reverts ?? own, own)
  }

  #run(work: Work): void {
    const { lane } = work.route
    if (lane === 'chain') this.#runInChain(work)
    else if (lane === 'inline' || (work.route.triedInFront && this.#parts.isFront)) this.#runHere(work, null)
    else this.#dispatch(work)
  }

  /** Commands may take their time: those that do are told when nobody waits for them any more. */
  #runInChain(work: Work): void {
    let opened: CallerSignal | null = null
    const sink: AnswerSink = (body, status) => {
      opened?.end()
      work.sink(body, status)
    }
    this.#runHere({ ...work, sink }, () => {
      opened ??= this.#parts.signals.open(work.exchange)
      return opened.signal
    })
  }

  #runHere(work: Work, signal: (() => AbortSignal) | null): void {
    const { route, id, params, caller, exchange, sink, alone } = work
    this.#parts.inline.run(route, id, params, sink, {
      connection: exchange.connection ?? null,
      memory: caller.account.memory,
      signal,
      reverts: caller.reverts ?? this.#parts.reverts,
      key: this.#keyFor(route, caller),
      forward: (forward) => this.#forward(work, forward),
      alone,
    })
  }

  /** Has workers answer the request, or another one in its place. */
  #forward(work: Work, forward: Forward): void {
    if (forward === DELEGATE_TO_WORKER) {
      this.#dispatch(work)
      return
    }
    const { method, params, onFailure } = forward
    const route = this.#parts.router.forForward(method)
    if (onFailure === undefined) {
      this.#dispatch({ ...work, route, params })
      return
    }
    const { exchange, id } = work
    const head = successText(id, '')
    whenGone(exchange, onFailure)
    const sink: AnswerSink = (body, status) => {
      if (!startsWith(body, head.slice(0, -1))) onFailure()
      work.sink(body, status)
    }
    this.#dispatch({ ...work, route, params, sink })
  }

  #dispatch(work: Work): void {
    const { dispatcher, notes } = this.#parts
    const { route, id, params, caller, exchange, sink } = work
    const answered: AnswerSink = route.definition.paged
      ? (body, status) => (status === PAGE_STATUS ? this.#answerInPages(work, body) : sink(body, status))
      : sink
    const ticket = this.#submit(caller, route, id, params, answered)
    work.times.ticket = ticket
    whenGone(exchange, () => {
      if (!ticket.settled) notes.abandoned()
      dispatcher.cancel(ticket)
    })
  }

  #answerInPages(work: Work, first: string | Uint8Array): void {
    const { router, dispatcher, notes, answerBytes: maxBytes } = this.#parts
    const { id, caller, exchange, sink, alone } = work
    const route = router.forForward(logsPage.name)
    let ticket: Ticket | undefined
    whenGone(exchange, () => {
      if (ticket !== undefined) dispatcher.cancel(ticket)
    })
    const ask = (next: string, pageSink: AnswerSink) => {
      ticket = this.#submit(caller, route, PAGE_ID, `[${next}]`, pageSink)
    }
    const onStreamed = (isWhole: boolean, bytes: number) => {
      if (isWhole) notes.fromMethod(work, work.times, '', bytes)
      else notes.abandoned()
    }
    new PagedAnswer({ id, caller, exchange, alone, maxBytes, sink, ask, onStreamed }).begin(first)
  }

  #submit(caller: Caller, route: Route, id: string, params: string, sink: AnswerSink): Ticket {
    const { dispatcher } = this.#parts
    const lane = route.lane as PoolLane
    const ticket: Ticket = {
      client: caller.account,
      method: route.index,
      lane,
      id,
      params,
      reverts: caller.reverts ?? this.#parts.reverts,
      deadline: performance.now() + dispatcher.timeLimit(lane),
      startedAt: 0,
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
