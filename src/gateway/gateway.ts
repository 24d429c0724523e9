import type { BlockReference } from '../chain/tables/blockKey.ts'
import type { FastCallStats } from '../native/nativeFastPath.ts'
import type { StateStore } from '../native/stateStore.ts'
import type { NodeContext } from '../rpc/context.ts'
import type { RpcError } from '../rpc/errors.ts'
import type { UnexpectedErrorSink } from '../rpc/execute.ts'
import { preferencesOf } from '../rpc/preferences.ts'
import type { Admission } from './admission.ts'
import { AnswerRecords } from './answerRecords.ts'
import { BodyAnswerer } from './bodyAnswerer.ts'
import { CallerSignals } from './callerSignals.ts'
import type { BlockWaitStats } from './entrance/blockWaits.ts'
import { Entrance } from './entrance/entrance.ts'
import type { FrontHead } from './entrance/frontHead.ts'
import type { Exchange } from './exchange.ts'
import { FastPath } from './fastPath/fastPath.ts'
import { InlineRunner } from './fastPath/inline.ts'
import { type CacheStats, ResponseCache } from './fastPath/responseCache.ts'
import type { RequestMetrics } from './requestMetrics.ts'
import { RequestRunner } from './requestRunner.ts'
import type { RequestWatch } from './requestWatch.ts'
import type { Router } from './router.ts'
import type { Dispatcher } from './scheduler/dispatcher.ts'
import { FrontWork } from './scheduler/frontWork.ts'
import { TickSnapshot } from './tickSnapshot.ts'

/** Limits of the envelope. */
export interface GatewayLimits {
  /** Requests in one batch, those of nested batches included. */
  readonly batch: number
  /** Bytes of one answer, or of all answers of a batch. */
  readonly answerBytes: number
  /** Bytes of answers that are kept until the head changes; none when absent. */
  readonly responseCacheBytes?: number
}

/** Bounds of the reference, rpc.md §1.4. */
export const DEFAULT_LIMITS: GatewayLimits = { batch: 50, answerBytes: 10 * 1024 * 1024 }

/** The parts of a gateway. */
export interface GatewayOptions {
  readonly router: Router
  readonly dispatcher: Dispatcher
  readonly admission: Admission
  /** Context of this thread: for the inline and the chain lane. */
  readonly context: NodeContext
  /** Store that is read without workers; none in tests of the envelope. */
  readonly stateStore?: StateStore
  readonly limits: GatewayLimits
  /** The head that this thread answers at; none in tests of the envelope. */
  readonly head?: FrontHead
  /** True when answers say which block they were given at. */
  readonly namesBlocks?: boolean
  /** Counts the requests. */
  readonly metrics: RequestMetrics
  /** Called for slow requests. */
  readonly watch?: RequestWatch
  readonly onUnexpected: UnexpectedErrorSink
}

/** The JSON-RPC service behind sockets: envelope, admission, routing (rpc.md §1, decisions.md D22). */
export class Gateway {
  readonly #fast: FastPath
  readonly #answers: ResponseCache
  readonly #inline: InlineRunner
  readonly #bodies: BodyAnswerer
  readonly #signals = new CallerSignals()
  readonly #snapshot: TickSnapshot
  readonly #head: FrontHead | null
  readonly #entrance: Entrance
  /** Shares this thread among clients. */
  readonly work = new FrontWork()

  constructor(options: GatewayOptions) {
    const { router, stateStore, limits, context, metrics, admission, dispatcher } = options
    const { batch, answerBytes, responseCacheBytes = 0 } = limits
    const head = options.head ?? null
    this.#head = head
    const namedHead = options.namesBlocks === true ? head : null
    // What is cached holds for one head, which answers name: whatever is read at the next one ends it.
    const onTaken = namedHead && (() => this.#look(namedHead))
    const snapshot = new TickSnapshot(context, onTaken)
    this.#snapshot = snapshot
    const { encodedObjects } = context
    const fast = new FastPath({
      router,
      stateStore,
      snapshot,
      encodedObjects,
      batch,
      answerBytes,
      responseCacheBytes,
    })
    this.#fast = fast
    this.#answers = new ResponseCache(fast.native, (block) => namedHead?.is(block) ?? true)
    this.#inline = new InlineRunner(snapshot, answerBytes, options.onUnexpected, (method, rest) => {
      fast.native.keepPlain(method, rest)
    })
    const entrance = new Entrance({
      router,
      fast,
      snapshot,
      head,
      answer: (...asked) => this.#answerInTurn(...asked),
      refuse: (...asked) => this.#bodies.refuse(...asked),
    })
    this.#entrance = entrance
    const records = new AnswerRecords(metrics, options.watch ?? null)
    const { revertErrors, beyondHead } = context.node.settings
    const preferences = preferencesOf(revertErrors, beyondHead)
    const runner = new RequestRunner({
      router,
      dispatcher,
      inline: this.#inline,
      answers: this.#answers,
      records,
      signals: this.#signals,
      answerBytes,
      preferences,
      // Of a fork this thread knows neither blocks below it nor state that was never read.
      isFront: context.front !== undefined && context.belowFork === undefined,
      head: namedHead,
    })
    const { reports } = context
    const common = {
      ...{ router, admission, fast, runner, records, metrics, preferences },
      ...(reports?.unknown === undefined
        ? {}
        : { onUnknown: (method: string, { message }: RpcError) => reports.unknown?.(method, message) }),
    }
    this.#bodies = new BodyAnswerer({
      ...common,
      batch,
      answerBytes,
      head: namedHead,
      entrance,
      work: this.work,
    })
  }

  /** To be called when the snapshot of this thread was taken that has the new head. */
  lookAtHead(): void {
    this.#head?.look()
  }

  /** To be called after {@link onChange} and {@link lookAtHead}: answers what waited for the head. */
  headChanged(): void {
    this.#entrance.look()
  }

  /**
   * Other nodes of the same service have these blocks: what names one waits for it here. To be called again and again as
   * long as there is one that this node lacks.
   */
  announce(blocks: readonly BlockReference[]): void {
    this.#entrance.announce(blocks)
  }

  /** To be called when a block of this height can be read by its hash that is not canonical: others may adopt it first. */
  blockExecuted(height: number): void {
    this.#entrance.announced.executed(height)
    this.onChange()
    this.#snapshot.forget()
    this.headChanged()
  }

  /** To be called when the head or its state changed: every cached response is dropped. */
  onChange(): void {
    this.#answers.forget()
    this.#fast.forget()
    this.#inline.forget()
  }

  /** Has what is read in this turn of the event loop belong to one head, as what requests read. */
  takeSnapshot(): void {
    this.#snapshot.take()
  }

  /** To be called when only the pool or the node's status changed. */
  onStatusChange(): void {
    this.#fast.native.forgetPlain()
    this.#inline.forget()
  }

  /** Lookups of answers that hold as long as the head does. */
  get responseCache(): CacheStats {
    return this.#answers.stats()
  }

  /** Calls that the fast path executed. */
  get fastCalls(): FastCallStats {
    return this.#fast.native.callStats()
  }

  /** Ends what waits in this thread or in the chain thread with an error. */
  abandon(error: RpcError): void {
    this.#entrance.abandon(error)
    this.#signals.abandon(error)
  }

  /** Answers a body, once the head has the height that its exchange asks for. The bytes are not kept beyond the call. */
  handle(body: ArrayBuffer | Buffer, exchange: Exchange): void {
    const { minBlock } = exchange
    // Most exchanges ask for none.
    if (minBlock && this.#entrance.awaitsHead(minBlock, body, exchange)) return
    this.#bodies.answer(body, exchange)
  }

  /** Bodies that wait for a block. */
  get waitingForBlocks(): number {
    return this.#entrance.waiting
  }

  /** For how long bodies waited for blocks. */
  get blockWaits(): BlockWaitStats {
    return this.#entrance.stats
  }

  /** Answers a body that waited, now or when its client may use the thread again. */
  #answerInTurn(body: ArrayBuffer | Buffer, exchange: Exchange): void {
    const { work } = exchange.caller.account
    if (this.work.admits(work)) {
      this.#bodies.answer(body, exchange)
      return
    }
    this.work.later(work, () => {
      if (!exchange.gone) this.#bodies.answer(body, exchange)
      return false
    })
  }

  /** A snapshot was taken; nothing that is cached holds for another head than its own. */
  #look(head: FrontHead): void {
    if (!head.look()) return
    this.#answers.forget()
    this.#fast.forget()
    this.#inline.keepNone()
  }
}
