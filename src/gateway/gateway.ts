import type { FastCallStats } from '../native/nativeFastPath.ts'
import type { StateStore } from '../native/stateStore.ts'
import type { NodeContext } from '../rpc/context.ts'
import type { RpcError } from '../rpc/errors.ts'
import type { UnexpectedErrorSink } from '../rpc/execute.ts'
import { preferencesOf } from '../rpc/preferences.ts'
import type { BlockReference } from '../storage/blockKey.ts'
import type { Caller } from './access/caller.ts'
import type { Admission } from './admission.ts'
import { AnswerRecords } from './answerRecords.ts'
import { BodyAnswerer } from './bodyAnswerer.ts'
import { CallerSignals } from './callerSignals.ts'
import { AnnouncedBlocks } from './entrance/announcedBlocks.ts'
import {
  type BlockNeed,
  type BlockWaitStats,
  BlockWaits,
  blockNotHere,
  blockNotReached,
} from './entrance/blockWaits.ts'
import type { FrontHead } from './entrance/frontHead.ts'
import { type HeldBody, HeldBytes } from './entrance/heldBodies.ts'
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

/** Milliseconds in which what others have is told again by whoever is there: three times what lies between. */
const RENEWED_FOR = 1500

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
  /** Where the state is read without workers; none in tests of the envelope. */
  readonly stateStore?: StateStore
  readonly limits: GatewayLimits
  /** The head that this thread answers at; none in tests of the envelope. */
  readonly head?: FrontHead
  /** True when answers say which block they were given at. */
  readonly tellsBlocks?: boolean
  /** Counts the requests. */
  readonly metrics: RequestMetrics
  /** Told of slow requests. */
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
  readonly #waits: BlockWaits
  readonly #announced: AnnouncedBlocks
  /** When it was told last what is announced, milliseconds. */
  #announcedAt = 0
  /** Shares this thread among clients. */
  readonly work = new FrontWork()

  constructor(options: GatewayOptions) {
    const { router, stateStore, limits, context, metrics, admission, dispatcher } = options
    const { batch, answerBytes, responseCacheBytes = 0 } = limits
    const head = options.head ?? null
    this.#head = head
    const toldHead = options.tellsBlocks === true ? head : null
    // What is cached holds for one head, which answers name: whatever is read at the next one ends it.
    const onTaken = toldHead && (() => this.#look(toldHead))
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
    this.#answers = new ResponseCache(fast.native, (block) => toldHead?.is(block) ?? true)
    this.#inline = new InlineRunner(snapshot, answerBytes, options.onUnexpected, (method, rest) => {
      fast.native.keepPlain(method, rest)
    })
    const held = new HeldBytes()
    const refuse = ({ body, caller, exchange }: HeldBody, error: RpcError) =>
      this.#bodies.refuse(body, caller, exchange, error)
    this.#waits = new BlockWaits(held, (...args) => this.#answerInTurn(...args), refuse)
    const announced = new AnnouncedBlocks({
      get height() {
        return head?.block.number ?? 0
      },
      has: (hash) => {
        snapshot.take()
        return context.chain.headerByHash(hash) !== null
      },
    })
    this.#announced = announced
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
      head: toldHead,
    })
    const common = { router, admission, fast, runner, records, metrics, preferences }
    this.#bodies = new BodyAnswerer({
      ...common,
      batch,
      answerBytes,
      head: toldHead,
      announced,
      wait: (names, ...asked) =>
        this.#wait(
          { isMet: () => !names.some((name) => announced.lacks(name)), late: () => this.#lateBlock() },
          ...asked,
        ),
      work: this.work,
    })
  }

  /** To be called when the snapshot of this thread was taken that has the new head. */
  lookAtHead(): void {
    this.#head?.look()
  }

  /** To be called after {@link onChange} and {@link lookAtHead}: answers what waited for the head. */
  headChanged(): void {
    this.#announced.look()
    this.#waits.look()
  }

  /**
   * Other nodes of the same service have these blocks: what names one waits for it here. To be called again and again as
   * long as there is one that this node lacks.
   */
  announce(blocks: readonly BlockReference[]): void {
    this.#announcedAt = performance.now()
    this.#announced.replace(blocks)
    this.#waits.look()
  }

  /** Whoever is there says again and again what it has: the rest went away, which is told late on a busy machine. */
  #lateBlock(): RpcError | null {
    if (performance.now() - this.#announcedAt < RENEWED_FOR) return blockNotHere()
    this.#announced.replace([])
    return null
  }

  /** To be called when a block can be read by its hash that is not canonical. */
  blockExecuted(): void {
    this.onChange()
    this.#snapshot.forget()
    this.headChanged()
  }

  /** To be called when the head or its state changed: every cached response is dropped. */
  onChange(): void {
    this.#answers.forget()
    this.#fast.native.forget()
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
    this.#waits.abandon(error)
    this.#signals.abandon(error)
  }

  /** Answers a body. The bytes are not kept beyond the call. */
  handle(body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange): void {
    this.#bodies.answer(body, caller, exchange)
  }

  /** Answers a body once the head is at least at a height, or with an error when that takes too long. */
  handleFrom(number: number, body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange): void {
    const head = this.#head
    const isMet = () => head === null || head.block.number >= number
    if (isMet()) this.handle(body, caller, exchange)
    else this.#wait({ isMet, late: () => blockNotReached(number) }, body, caller, exchange)
  }

  /** Bodies that wait for a block. */
  get waitingForBlocks(): number {
    return this.#waits.waiting
  }

  /** For how long bodies waited for blocks. */
  get blockWaits(): BlockWaitStats {
    return this.#waits.stats
  }

  #wait(need: BlockNeed, body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange): void {
    const refusal = this.#waits.add(need, body, caller, exchange)
    if (refusal !== null) this.#bodies.refuse(body, caller, exchange, refusal)
  }

  /** Answers a body that waited, now or when its client may use the thread again. */
  #answerInTurn(body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange): void {
    const { work } = caller.account
    if (this.work.admits(work)) {
      this.handle(body, caller, exchange)
      return
    }
    this.work.later(work, () => {
      if (!exchange.gone) this.handle(body, caller, exchange)
      return false
    })
  }

  /** A snapshot was taken; nothing that is cached holds for another head than its own. */
  #look(head: FrontHead): void {
    if (!head.look()) return
    this.#answers.forget()
    this.#fast.native.forget()
    this.#inline.keepNone()
  }
}
