import type { RevertForm } from '../config/revertForm.ts'
import type { StateStore } from '../native/stateStore.ts'
import type { NodeContext } from '../rpc/context.ts'
import { ERROR_TABLE, RpcError, responseTooLarge, toErrorObject } from '../rpc/errors.ts'
import { errorAnswer, type UnexpectedErrorSink } from '../rpc/execute.ts'
import { failureText } from '../rpc/json.ts'
import type { Caller } from './access/caller.ts'
import type { Admission } from './admission.ts'
import { AnswerRecords } from './answerRecords.ts'
import { CallerSignals } from './callerSignals.ts'
import { BatchCollector } from './collector.ts'
import { type ParsedBody, type ParsedRequest, parseBody } from './envelope/parseBody.ts'
import { scanBatch } from './envelope/scanBatch.ts'
import { RequestScanner } from './envelope/scanRequest.ts'
import type { Exchange } from './exchange.ts'
import { FastPath } from './fastPath/fastPath.ts'
import { InlineRunner } from './fastPath/inline.ts'
import { type CacheStats, ResponseCache } from './fastPath/responseCache.ts'
import type { RequestMetrics } from './requestMetrics.ts'
import { type AdmittedRequest, RequestRunner } from './requestRunner.ts'
import type { RequestWatch } from './requestWatch.ts'
import type { Router } from './router.ts'
import type { Dispatcher } from './scheduler/dispatcher.ts'
import type { AnswerSink } from './scheduler/ticket.ts'
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
  readonly metrics: RequestMetrics
  /** Told of slow requests. */
  readonly watch?: RequestWatch
  readonly onUnexpected: UnexpectedErrorSink
}

/** Answers bodies: JSON-RPC envelope, admission, routing (rpc.md §1, decisions.md D22). */
export class Gateway {
  readonly #router: Router
  readonly #admission: Admission
  readonly #limits: GatewayLimits
  readonly #metrics: RequestMetrics
  readonly #notes: AnswerRecords
  readonly #quick: FastPath
  /** How reverts are told to callers who want no form of their own. */
  readonly #reverts: RevertForm
  readonly #scanner = new RequestScanner()
  readonly #answers: ResponseCache
  readonly #inline: InlineRunner
  readonly #runner: RequestRunner
  readonly #signals = new CallerSignals()

  constructor(options: GatewayOptions) {
    const { router, stateStore, limits, context, metrics } = options
    this.#router = router
    this.#admission = options.admission
    this.#limits = limits
    this.#metrics = metrics
    this.#notes = new AnswerRecords(metrics, options.watch ?? null)
    const snapshot = new TurnSnapshot(context)
    this.#reverts = context.node.settings.revertErrors
    const keptBytes = limits.keptBytes ?? 0
    const { texts } = context
    this.#quick = new FastPath({ router, stateStore, snapshot, texts, ...limits, keptBytes })
    this.#answers = new ResponseCache(this.#quick.native, keptBytes > 0)
    this.#inline = new InlineRunner(snapshot, limits.answerBytes, options.onUnexpected, (method, rest) => {
      this.#quick.native.keepPlain(method, rest)
    })
    this.#runner = new RequestRunner({
      router,
      dispatcher: options.dispatcher,
      inline: this.#inline,
      answers: this.#answers,
      notes: this.#notes,
      signals: this.#signals,
      answerBytes: limits.answerBytes,
      reverts: this.#reverts,
      isFront: context.front !== undefined,
    })
  }

  /** To be called when the head or its state changed: every cached response is dropped. */
  onChange(): void {
    this.#answers.forget()
    this.#quick.native.forget()
    this.#inline.forget()
  }

  /** To be called when only the pool or the node's status changed. */
  onStatusChange(): void {
    this.#quick.native.forgetPlain()
    this.#inline.forget()
  }

  /** Lookups of answers that hold as long as the head does. */
  get responseCache(): CacheStats {
    return this.#answers.stats()
  }

  /** Ends what waits in this thread or in the chain thread with an error. */
  abandon(error: RpcError): void {
    this.#signals.abandon(error)
  }

  /** Answers a body. The bytes are not kept beyond the call. */
  handle(body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange): void {
    const quick = this.#quick
    const sampled = this.#metrics.sample()
    const found = quick.answer(body)
    const answer = quick.isKept && this.#isInOtherForm(quick.method, caller) ? null : found
    if (answer === null) {
      // A traced call goes to its method, which is told apart.
      if (quick.waits && exchange.trace == null) this.#runCall(body, caller, exchange, sampled)
      else this.#handleScanned(toBuffer(body), caller, exchange, sampled)
      return
    }
    const { method } = quick
    // The answer took less than finding out that it must not be given would have.
    const refusal = this.#charge(caller, exchange, method)
    if (refusal !== null) {
      this.#handleScanned(toBuffer(body), caller, exchange, sampled, refusal)
      return
    }
    exchange.answer(answer, 200)
    if (quick.isKept) this.#notes.fromKept(method, caller, answer.length, sampled)
    else this.#notes.fromCore(method, caller, answer.length, sampled)
  }

  /** Whether the cached responses of a method, which are in the node's own form, are in another one than the caller wants. */
  #isInOtherForm(method: number, { reverts }: Caller): boolean {
    if (reverts === null || reverts === this.#reverts) return false
    return this.#router.routesByIndex[method]?.definition.tellsReverts === true
  }

  /** Executes the call that waits in the native core, and leaves it to its method where that does not answer it. */
  #runCall(body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange, sampled: number): void {
    const { method } = this.#quick
    const refusal = this.#charge(caller, exchange, method)
    const started = performance.now()
    const answer = refusal === null ? this.#quick.run() : null
    if (answer === null) {
      this.#handleScanned(toBuffer(body), caller, exchange, sampled, refusal)
      return
    }
    exchange.answer(answer, 200)
    this.#notes.fromCore(method, caller, answer.length, sampled)
    const ended = performance.now()
    if (ended - started < this.#notes.slow) return
    const bytes = toBuffer(body)
    const route = this.#router.routesByIndex[method]
    if (route === undefined || !this.#scanner.scan(bytes)) return
    const request = { ...scannedRequest(this.#scanner, bytes), route, caller, exchange }
    this.#notes.tell(request, { started, ticket: null }, ended, null, answer.length)
  }

  /** @param charged what admission said of the only request, where it was asked before */
  #handleScanned(
    bytes: Buffer,
    caller: Caller,
    exchange: Exchange,
    sampled: number,
    charged?: RpcError | null,
  ): void {
    if (!this.#scanner.scan(bytes)) {
      this.#handleBatch(bytes, caller, exchange, sampled)
      return
    }
    const origin = { caller, exchange, sink: sinkOf(exchange), alone: true }
    this.#request(scannedRequest(this.#scanner, bytes), origin, sampled, charged)
  }

  #handleBatch(bytes: Buffer, caller: Caller, exchange: Exchange, sampled: number): void {
    const states = this.#quick.answerBatch(bytes)
    const refusals = states?.methods.map((method) => this.#charge(caller, exchange, method))
    if (states !== null && refusals?.every((refusal) => refusal === null) === true) {
      exchange.answer(states.body, 200)
      const share = Math.floor(states.body.length / states.methods.length)
      for (const method of states.methods) this.#notes.fromCore(method, caller, share, sampled)
      return
    }
    const requests = scanBatch(this.#scanner, bytes, this.#limits.batch)
    if (requests === null) {
      this.#handleUnusual(bytes, caller, exchange)
      return
    }
    const tooLarge = responseTooLarge(this.#limits.answerBytes)
    const collector = this.#collect(caller, exchange, tooLarge, sinkOf(exchange))
    requests.forEach((request, i) => {
      const origin = { caller, exchange, sink: collector.slot(), alone: false }
      this.#request(request, origin, this.#metrics.sample(), refusals?.[i])
    })
    collector.end()
  }

  /** @param tooLarge in place of answers that are too large together */
  #collect({ account }: Caller, exchange: Exchange, tooLarge: RpcError, sink: AnswerSink): BatchCollector {
    const text = () => failureText('null', toErrorObject(tooLarge))
    const hold = (bytes: number) => (exchange.hold?.(bytes) === false ? account.memory.refusal(bytes) : null)
    return new BatchCollector(this.#limits.answerBytes, text, { hold }, sink)
  }

  #handleUnusual(bytes: Buffer, caller: Caller, exchange: Exchange): void {
    const sink = sinkOf(exchange)
    let body: ParsedBody
    try {
      body = parseBody(bytes, this.#limits.batch)
    } catch (error) {
      const known = error instanceof RpcError ? error : new RpcError('internal')
      this.#refuseBody(caller, sink, 'null', known)
      return
    }
    this.#answer(body, { caller, exchange, sink, alone: true })
  }

  #answer(body: ParsedBody, origin: RequestOrigin): void {
    switch (body.kind) {
      case 'invalid':
        this.#refuseBody(origin.caller, origin.sink, body.id, body.error)
        return
      case 'request':
        this.#request(body.request, origin, this.#metrics.sample())
        return
      case 'batch': {
        if (body.elements.length === 0) {
          this.#answerEmpty(origin)
          return
        }
        const refusal = origin.refusal ?? body.refusal
        const tooLarge = refusal ?? responseTooLarge(this.#limits.answerBytes)
        const collector = this.#collect(origin.caller, origin.exchange, tooLarge, origin.sink)
        for (const element of body.elements) {
          this.#answer(element, { ...origin, refusal, sink: collector.slot(), alone: false })
        }
        collector.end()
      }
    }
  }

  /** A batch of nothing is charged like a request for what is no method: it is read like one. */
  #answerEmpty({ caller, sink }: RequestOrigin): void {
    const refusal = this.#admission.charge(caller, this.#router.unknown)
    if (refusal === null) sink('[]', 200)
    else this.#refuse(this.#router.unknown, sink, 'null', refusal)
  }

  /** @param charged what admission said, where it was asked before */
  #request(
    { method, id, params }: ParsedRequest,
    origin: RequestOrigin,
    sampled: number,
    charged?: RpcError | null,
  ): void {
    const { caller, alone } = origin
    // An object without a method is no notification either: somebody has to be told.
    const isSilent = id === null && method !== null
    const sink: AnswerSink = isSilent ? () => origin.sink('', 200) : origin.sink
    const route = method === null ? undefined : this.#router.find(method)
    const text = id ?? 'null'
    if (origin.refusal !== undefined) {
      this.#refuseBody(caller, sink, text, origin.refusal)
      return
    }
    if (route === undefined) {
      this.#refuseBody(caller, sink, text, this.#router.whyNot(method))
      return
    }
    const refusal = charged === undefined ? this.#charge(caller, origin.exchange, route.index) : charged
    if (refusal !== null) {
      this.#refuse(route.index, sink, text, refusal)
      return
    }
    this.#runner.answer({ ...origin, route, id: text, params, sink, alone: alone && !isSilent }, sampled)
  }

  /** Charges a method to the caller; why it may not call it, or not now, or not from the page that asks. */
  #charge(caller: Caller, { restricted }: Exchange, method: number): RpcError | null {
    const refusal = this.#admission.charge(caller, method)
    if (refusal !== null || restricted !== true) return refusal
    const route = this.#router.routesByIndex[method]
    return route?.privileged === true ? closedToPages(route.definition.name) : null
  }

  /** What no method is asked about is charged like a request for one: it is read like the others. */
  #refuseBody(caller: Caller, sink: AnswerSink, id: string, error: RpcError): void {
    const { unknown } = this.#router
    this.#refuse(unknown, sink, id, this.#admission.charge(caller, unknown) ?? error)
  }

  /** @param method place of the method that was asked for */
  #refuse(method: number, sink: AnswerSink, id: string, error: RpcError): void {
    this.#metrics.answered(method, 0)
    this.#metrics.failed(method, ERROR_TABLE[error.kind].code)
    const { text, status } = errorAnswer(id, error)
    sink(text, status)
  }
}

/** What a request has besides itself. */
interface RequestOrigin extends Pick<AdmittedRequest, 'caller' | 'exchange' | 'sink' | 'alone'> {
  /** Why no request of its batch is run. */
  readonly refusal?: RpcError | undefined
}

/** An ordinary request, whose id is there. */
interface ScannedRequest extends ParsedRequest {
  readonly id: string
}

function scannedRequest(scanner: RequestScanner, bytes: Buffer): ScannedRequest {
  return {
    method: scanner.method,
    id: bytes.toString('latin1', scanner.idStart, scanner.idEnd),
    params: bytes.toString('latin1', scanner.paramsStart, scanner.paramsEnd),
  }
}

function closedToPages(method: string): RpcError {
  return new RpcError(
    'methodUnavailable',
    `the method ${method} is not available to web pages of other origins; --trusted-origins names those that may use it`,
  )
}

function sinkOf(exchange: Exchange): AnswerSink {
  return (body, status) => exchange.answer(body, status)
}

function toBuffer(body: ArrayBuffer | Buffer): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(body)
}
