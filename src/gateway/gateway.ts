import type { FastCallStats } from '../native/nativeFastPath.ts'
import type { StateStore } from '../native/stateStore.ts'
import type { NodeContext } from '../rpc/context.ts'
import { RpcError } from '../rpc/errors.ts'
import type { UnexpectedErrorSink } from '../rpc/execute.ts'
import type { Caller } from './access/caller.ts'
import type { Admission } from './admission.ts'
import { AnswerRecords } from './answerRecords.ts'
import { BodyAnswerer } from './bodyAnswerer.ts'
import { CallerSignals } from './callerSignals.ts'
import { FleetGate, type FleetGateOptions } from './entrance/fleetGate.ts'
import type { FrontHead } from './entrance/frontHead.ts'
import { type HeldBody, HeldBytes } from './entrance/heldBodies.ts'
import { MinimumBlock } from './entrance/minimumBlock.ts'
import type { Exchange } from './exchange.ts'
import { PartRunner, type SearchMembers } from './fanOut/partRunner.ts'
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
  /** The head that this thread answers at; none in tests of the envelope. */
  readonly head?: FrontHead
  /** Whether answers say which block they were given at. */
  readonly tellsBlocks?: boolean
  /** Of a member of a fleet. */
  readonly fleet?: Omit<FleetGateOptions, 'head'>
  /** With whom long searches are shared; nobody for a node on its own. */
  readonly searchMembers?: SearchMembers
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
  readonly #minimum: MinimumBlock
  /** null for a node on its own. */
  readonly gate: FleetGate | null
  readonly #shared: PartRunner | null
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
    const answer = (body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange) =>
      this.#bodies.answer(body, caller, exchange)
    const { fleet } = options
    this.gate =
      fleet === undefined || head === null
        ? null
        : new FleetGate({ ...fleet, head: head.block.hash }, held, answer)
    const refuse = ({ body, caller, exchange }: HeldBody, error: RpcError) =>
      this.#bodies.refuse(body, caller, exchange, error)
    this.#minimum = new MinimumBlock(held, (...args) => this.#answerInTurn(...args), refuse)
    const { gate } = this
    const records = new AnswerRecords(metrics, options.watch ?? null)
    const { revertErrors: reverts, beyondHead } = context.node.settings
    const { searchMembers: members } = options
    this.#shared =
      members === undefined ? null : new PartRunner({ router, dispatcher, members, answerBytes, reverts })
    const runner = new RequestRunner({
      router,
      dispatcher,
      inline: this.#inline,
      answers: this.#answers,
      records,
      signals: this.#signals,
      answerBytes,
      reverts,
      beyondHead,
      isFront: context.front !== undefined,
      gate,
      head: toldHead,
      shared: this.#shared,
    })
    const common = { router, admission, fast, runner, records, metrics, beyondHead }
    this.#bodies = new BodyAnswerer({
      ...common,
      batch,
      answerBytes,
      reverts,
      gate,
      head: toldHead,
      work: this.work,
    })
  }

  /** To be called when the snapshot of this thread was taken that has the new head. */
  lookAtHead(): void {
    this.#head?.look()
  }

  /** To be called after {@link onChange} and {@link lookAtHead}: answers what waited for the head. */
  headChanged(): void {
    if (this.#head === null) return
    const { number, hash } = this.#head.block
    this.gate?.headChanged(hash)
    this.#minimum.headChanged(number)
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
    this.gate?.close()
    this.#minimum.abandon(error)
    this.#signals.abandon(error)
  }

  /** Answers a body. The bytes are not kept beyond the call. */
  handle(body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange): void {
    if (this.gate === null) {
      this.#bodies.answer(body, caller, exchange)
      return
    }
    const refusal = this.gate.enter(body, caller, exchange)
    if (refusal !== null) this.#bodies.refuse(body, caller, exchange, refusal)
  }

  /** Answers a body once the head is at least at a height, or with an error when that takes too long. */
  handleFrom(number: number, body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange): void {
    if (this.#head === null || this.#head.block.number >= number) {
      this.handle(body, caller, exchange)
      return
    }
    const refusal = this.#minimum.add(number, body, caller, exchange)
    if (refusal !== null) this.#bodies.refuse(body, caller, exchange, refusal)
  }

  /** Answers a part of a search of another member. @throws RpcError, Error where it cannot */
  async answerPart(payload: Buffer): Promise<Buffer> {
    if (this.#shared === null) throw new RpcError('methodNotFound')
    return this.#shared.answer(payload)
  }

  /** Bodies that wait for a block. */
  get waitingForBlocks(): number {
    return this.#minimum.waiting
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
