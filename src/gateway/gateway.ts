import type { StateStore } from '../native/stateStore.ts'
import type { WatchedRequest } from '../observe/tracing.ts'
import type { NodeContext } from '../rpc/context.ts'
import { ERROR_TABLE, RpcError, responseTooLarge, toErrorObject } from '../rpc/errors.ts'
import { errorAnswer, PAGE_STATUS, type UnexpectedErrorSink } from '../rpc/execute.ts'
import { logsPage } from '../rpc/internal/logsPage.ts'
import { ANSWER_HEAD, AS_IT_CAME, type Forward, failureText, successText } from '../rpc/json.ts'
import type { Caller } from './access/caller.ts'
import type { Admission } from './admission.ts'
import { AnswerCache, type CacheFigures } from './answerCache.ts'
import { errorCodeOf } from './answerCode.ts'
import { BatchCollector } from './collector.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Exchange } from './exchange.ts'
import { InlineRunner } from './inline.ts'
import type { PoolLane } from './lanes.ts'
import { PAGE_ID, PagedAnswer } from './pagedAnswer.ts'
import { type ParsedBody, type ParsedRequest, parseBody } from './parseBody.ts'
import type { RequestTally } from './requestTally.ts'
import type { RequestTimes, RequestWatch } from './requestWatch.ts'
import type { Route, Router } from './router.ts'
import { scanBatch } from './scanBatch.ts'
import { RequestScanner } from './scanRequest.ts'
import { StateAnswers } from './stateAnswers.ts'
import { TextAnswers } from './textAnswers.ts'
import type { AnswerSink, Ticket } from './ticket.ts'
import { TurnSnapshot } from './turnSnapshot.ts'

/** Limits of the envelope. */
export interface GatewayLimits {
  /** Requests in one batch, those of nested batches included. */
  readonly batch: number
  /** Bytes of one answer, or of all answers of a batch. */
  readonly answerBytes: number
  /** Bytes of answers that are kept until the head changes; none when absent. */
  readonly keptBytes?: number
}

/** What a gateway is made of. */
export interface GatewayOptions {
  readonly router: Router
  readonly dispatcher: Dispatcher
  readonly admission: Admission
  /** Context of this thread: for the inline and the chain lane. */
  readonly context: NodeContext
  /** Where the state is read without workers; none in tests of the envelope. */
  readonly stateStore?: StateStore
  readonly limits: GatewayLimits
  /** Counts the requests. */
  readonly tally: RequestTally
  /** Told of slow requests. */
  readonly watch?: RequestWatch
  readonly onUnexpected: UnexpectedErrorSink
}

/** Answers bodies: JSON-RPC envelope, admission, routing (facts/rpc.md §1, design.md §4). */
export class Gateway {
  readonly #router: Router
  readonly #dispatcher: Dispatcher
  readonly #admission: Admission
  readonly #limits: GatewayLimits
  readonly #tally: RequestTally
  readonly #watch: RequestWatch | null
  readonly #inline: InlineRunner
  readonly #scanner = new RequestScanner()
  readonly #answers: AnswerCache
  readonly #states: StateAnswers | null
  readonly #texts: TextAnswers
  /** Whether methods can be tried here before the workers. */
  readonly #isFront: boolean

  constructor(options: GatewayOptions) {
    this.#router = options.router
    this.#dispatcher = options.dispatcher
    this.#admission = options.admission
    this.#limits = options.limits
    this.#tally = options.tally
    this.#watch = options.watch ?? null
    const snapshot = new TurnSnapshot(options.context)
    this.#inline = new InlineRunner(snapshot, options.limits.answerBytes, options.onUnexpected)
    const { router, stateStore, limits } = options
    this.#states =
      stateStore === undefined ? null : new StateAnswers(stateStore, router.stateMethods, snapshot, limits)
    this.#texts = new TextAnswers(options.context.texts, snapshot, limits.answerBytes)
    this.#answers = new AnswerCache(options.limits.keptBytes ?? 0)
    this.#isFront = options.context.front !== undefined
  }

  /** To be called when the head or its state changed: every kept answer is dropped. */
  onChange(): void {
    this.#answers.forget()
    this.#states?.forget()
    this.#texts.forget()
    this.#inline.forget()
  }

  /** To be called when only the pool or the node's status changed. */
  onStatusChange(): void {
    this.#inline.forget()
  }

  /** Lookups of answers that hold as long as the head does. */
  get keptAnswers(): CacheFigures {
    return this.#answers.figures()
  }

  /** Answers a body. The bytes are not kept beyond the call. */
  handle(bytes: Buffer, caller: Caller, exchange: Exchange): void {
    const scanner = this.#scanner
    const started = this.#tally.sample()
    if (scanner.scan(bytes)) {
      const id = bytes.toString('latin1', scanner.idStart, scanner.idEnd)
      const route = this.#router.find(scanner.method)
      const sink: AnswerSink = (body, status) => exchange.answer(body, status)
      if (route === undefined) {
        this.#refuseUnknown(caller, sink, id, scanner.method)
        return
      }
      const refusal = this.#admission.charge(caller, route.index)
      if (refusal !== null) {
        this.#refuse(route.index, sink, id, refusal)
        return
      }
      const state = route.stateRead === null ? null : this.#states?.answer(route.stateRead, bytes, scanner)
      if (state != null) {
        exchange.answer(state, 200)
        caller.answered(route.index, state.length, false)
        this.#tally.answeredInFront(route.index, started)
        return
      }
      const ready = route.ready === null ? null : this.#texts.answer(route.ready, bytes, scanner)
      if (ready !== null) {
        exchange.answer(ready, 200)
        caller.answered(route.index, ready.length, false)
        this.#tally.answeredInFront(route.index, started)
        return
      }
      const params = bytes.toString('latin1', scanner.paramsStart, scanner.paramsEnd)
      this.#answerOrRun({ route, id, params, caller, exchange, sink, alone: true }, started)
      return
    }
    const states = this.#states?.answerBatch(bytes) ?? null
    const refusals = states?.methods.map(({ index }) => this.#admission.charge(caller, index))
    if (states !== null && refusals?.every((refusal) => refusal === null) === true) {
      exchange.answer(states.body, 200)
      const share = states.body.length / states.methods.length
      for (const { index } of states.methods) {
        caller.answered(index, Math.floor(share), false)
        this.#tally.answeredInFront(index, started)
      }
      return
    }
    const requests = scanBatch(scanner, bytes, this.#limits.batch)
    if (requests === null) {
      this.#handleUnusual(bytes, caller, exchange)
      return
    }
    const collector = this.#collect((answer, status) => exchange.answer(answer, status))
    requests.forEach((request, i) => {
      this.#request(request, caller, exchange, collector.slot(), false, refusals?.[i])
    })
    collector.end()
  }

  #collect(sink: AnswerSink): BatchCollector {
    const tooLarge = () => failureText('null', toErrorObject(responseTooLarge(this.#limits.answerBytes)))
    return new BatchCollector(this.#limits.answerBytes, tooLarge, sink)
  }

  #handleUnusual(bytes: Buffer, caller: Caller, exchange: Exchange): void {
    let body: ParsedBody
    try {
      body = parseBody(bytes)
    } catch (error) {
      const known = error instanceof RpcError ? error : new RpcError('internal')
      this.#refuse(
        this.#tally.unknown,
        (text, status) => exchange.answer(text, status),
        'null',
        this.#chargeUnknown(caller) ?? known,
      )
      return
    }
    const sink: AnswerSink = (answer, status) => exchange.answer(answer, status)
    if (body.kind === 'batch' && countRequests(body) > this.#limits.batch) {
      const text = `Cannot dispatch batch requests. ${this.#limits.batch} is the max number of supported batch requests`
      exchange.answer(failureText('null', { code: -32600, message: text }), 200)
      return
    }
    this.#answer(body, caller, exchange, sink, true)
  }

  #answer(body: ParsedBody, caller: Caller, exchange: Exchange, sink: AnswerSink, alone: boolean): void {
    switch (body.kind) {
      case 'invalid':
        this.#refuse(this.#tally.unknown, sink, body.id, this.#chargeUnknown(caller) ?? body.error)
        return
      case 'request':
        this.#request(body.request, caller, exchange, sink, alone)
        return
      case 'batch': {
        const collector = this.#collect(sink)
        for (const element of body.elements) this.#answer(element, caller, exchange, collector.slot(), false)
        collector.end()
      }
    }
  }

  #request(
    { method, id, params }: ParsedRequest,
    caller: Caller,
    exchange: Exchange,
    sink: AnswerSink,
    alone: boolean,
    /** What admission said, where it was asked before. */
    charged?: RpcError | null,
  ): void {
    // An object without a method is no notification either: somebody has to be told.
    const isSilent = id === null && method !== null
    const answered: AnswerSink = isSilent ? () => sink('', 200) : sink
    const route = method === null ? undefined : this.#router.find(method)
    const text = id ?? 'null'
    if (route === undefined) {
      this.#refuseUnknown(caller, answered, text, method)
      return
    }
    const refusal = charged === undefined ? this.#admission.charge(caller, route.index) : charged
    if (refusal !== null) {
      this.#refuse(route.index, answered, text, refusal)
      return
    }
    const work = { route, id: text, params, caller, exchange, sink: answered, alone: alone && !isSilent }
    this.#answerOrRun(work, this.#tally.sample())
  }

  /** Answers what no method is asked about. @param method its place */
  #refuse(method: number, sink: AnswerSink, id: string, error: RpcError): void {
    this.#tally.answered(method, 0)
    this.#tally.failed(method, ERROR_TABLE[error.kind].code)
    fail(sink, id, error)
  }

  /** Names that are no method are charged, too: they are read like the others. */
  #refuseUnknown(caller: Caller, sink: AnswerSink, id: string, method: string | null): void {
    this.#refuse(this.#tally.unknown, sink, id, this.#chargeUnknown(caller) ?? this.#router.whyNot(method))
  }

  #chargeUnknown(caller: Caller): RpcError | null {
    return this.#admission.charge(caller, this.#router.unknown)
  }

  /** From the kept answers, or in the method's lane. */
  #answerOrRun(work: Asked, sampled: number): void {
    const { route, id, params, caller, sink } = work
    const key = route.keepsAtHead ? this.#answers.keyOf(route.index, params) : null
    const kept = key === null ? this.#inline.kept(route, params) : this.#answers.find(key)
    if (kept !== undefined) {
      sink(ANSWER_HEAD + id + kept, 200)
      caller.answered(route.index, kept.length, false)
      this.#tally.answeredFromKept(route.index, sampled)
      return
    }
    const times: RequestTimes = { started: performance.now(), ticket: null }
    const counted: AnswerSink = (body, status) => {
      sink(body, status)
      this.#answered(work, times, body)
    }
    this.#run({ ...work, times, sink: key === null ? counted : this.#answers.keeping(key, id, counted) })
  }

  /** Counts an answer, and tells of it where it is slow or traced. */
  #answered(work: Asked, times: RequestTimes, body: string | Uint8Array): void {
    const { route, id, caller, exchange } = work
    const now = performance.now()
    const elapsed = now - times.started
    const code = errorCodeOf(body, id)
    caller.answered(route.index, body.length, code !== null)
    this.#tally.answered(route.index, elapsed)
    if (code !== null) this.#tally.failed(route.index, code)
    const watch = this.#watch
    const isSlow = watch !== null && elapsed >= watch.threshold
    if (!isSlow && exchange.trace == null) return
    const request: WatchedRequest = {
      method: route.definition.name,
      lane: route.lane,
      caller: caller.name,
      requestId: exchange.requestId ?? null,
      code,
      started: times.started,
      sent: times.ticket?.startedAt || null,
      ended: now,
      paramBytes: work.params.length,
      answerBytes: body.length,
    }
    if (isSlow) watch.onSlow(request)
    exchange.trace?.request(request)
  }

  #run(work: Work): void {
    const { route, id, params, exchange, sink, alone } = work
    const { lane } = route
    if (lane === 'inline' || lane === 'chain' || (route.triedInFront && this.#isFront)) {
      this.#inline.run(route, id, params, sink, {
        connection: exchange.connection ?? null,
        forward: (forward) => this.#forward(work, forward),
        alone,
      })
      return
    }
    this.#dispatch(work)
  }

  /** Has workers answer the request, or another one in its place. */
  #forward(work: Work, forward: Forward): void {
    if (forward === AS_IT_CAME) {
      this.#dispatch(work)
      return
    }
    const { method, params, onFailure } = forward
    const route = this.#router.forForward(method)
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
    const { route, id, params, exchange, sink } = work
    const answered: AnswerSink = route.definition.paged
      ? (body, status) => (status === PAGE_STATUS ? this.#answerInPages(work, body) : sink(body, status))
      : sink
    const ticket = this.#submit(route, id, params, answered)
    work.times.ticket = ticket
    whenGone(exchange, () => {
      if (!ticket.settled) this.#tally.abandoned += 1
      this.#dispatcher.cancel(ticket)
    })
  }

  #answerInPages(work: Work, first: string | Uint8Array): void {
    const { id, exchange, sink, alone } = work
    const route = this.#router.forForward(logsPage.name)
    let ticket: Ticket | undefined
    whenGone(exchange, () => {
      if (ticket !== undefined) this.#dispatcher.cancel(ticket)
    })
    const ask = (next: string, pageSink: AnswerSink) => {
      ticket = this.#submit(route, PAGE_ID, `[${next}]`, pageSink)
    }
    const maxBytes = this.#limits.answerBytes
    const onStreamed = (isWhole: boolean) => {
      if (isWhole) this.#answered(work, work.times, '')
      else this.#tally.abandoned += 1
    }
    new PagedAnswer({ id, exchange, alone, maxBytes, sink, ask, onStreamed }).begin(first)
  }

  #submit(route: Route, id: string, params: string, sink: AnswerSink): Ticket {
    const lane = route.lane as PoolLane
    const ticket: Ticket = {
      method: route.index,
      lane,
      id,
      params,
      deadline: performance.now() + this.#dispatcher.timeLimit(lane),
      startedAt: 0,
      slot: -1,
      settled: false,
      sink,
    }
    this.#dispatcher.submit(lane, ticket)
    return ticket
  }
}

/** One request that may be answered. */
interface Asked {
  readonly route: Route
  /** JSON text. */
  readonly id: string
  /** JSON text. */
  readonly params: string
  readonly caller: Caller
  readonly exchange: Exchange
  readonly sink: AnswerSink
  /** Whether nothing else belongs to the exchange. */
  readonly alone: boolean
}

/** One request on its way to its answer. */
interface Work extends Asked {
  readonly times: RequestTimes
}

/** Calls back, too, when the client goes away. */
function whenGone(exchange: Exchange, action: () => void): void {
  const before = exchange.onGone
  exchange.onGone =
    before === undefined
      ? action
      : () => {
          before()
          action()
        }
}

function startsWith(body: string | Uint8Array, text: string): boolean {
  if (typeof body === 'string') return body.startsWith(text)
  return Buffer.from(body.buffer, body.byteOffset, text.length).toString('utf8') === text
}

function fail(sink: AnswerSink, id: string, error: RpcError): void {
  const { text, status } = errorAnswer(id, error)
  sink(text, status)
}

/** Requests with a `method` member in a batch and the batches in it. */
function countRequests(body: ParsedBody): number {
  if (body.kind === 'batch') return body.elements.reduce((sum, element) => sum + countRequests(element), 0)
  return body.kind === 'request' && body.request.method !== null ? 1 : 0
}
