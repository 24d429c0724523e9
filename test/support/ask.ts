import type { EventConnection } from '../../src/filters/eventConnection.ts'
import { type Caller, unlimitedCaller } from '../../src/gateway/access/caller.ts'
import { type Admission, OPEN_ADMISSION } from '../../src/gateway/admission.ts'
import type { FrontHead } from '../../src/gateway/entrance/frontHead.ts'
import type { Exchange } from '../../src/gateway/exchange.ts'
import { Gateway } from '../../src/gateway/gateway.ts'
import { RequestMetrics } from '../../src/gateway/requestMetrics.ts'
import type { RequestWatch } from '../../src/gateway/requestWatch.ts'
import { Router } from '../../src/gateway/router.ts'
import { Dispatcher } from '../../src/gateway/scheduler/dispatcher.ts'
import type { LaneLimits, PoolLane } from '../../src/gateway/scheduler/lanes.ts'
import type { StateStore } from '../../src/native/stateStore.ts'
import type { ExchangeTrace } from '../../src/observe/tracing.ts'
import type { EnabledMethods } from '../../src/rpc/availability.ts'
import type { NodeContext } from '../../src/rpc/context.ts'
import type { MethodDefinition } from '../../src/rpc/defineMethod.ts'
import { METHODS, UNSUPPORTED_METHODS } from '../../src/rpc/methods.ts'
import { InterruptTable } from '../../src/workers/interrupts.ts'
import { LocalPool } from '../../src/workers/local.ts'

/** An answer as the front would send it. */
export interface AskedAnswer {
  readonly text: string
  readonly status: number
}

/** A gateway over one context, without sockets and threads. */
export interface LocalService {
  readonly gateway: Gateway
  readonly dispatcher: Dispatcher
  readonly metrics: RequestMetrics
  /**
   * @param connection takes notifications, as a WebSocket does
   * @param gone aborted when the client goes away; what would be answered is given all the same
   */
  ask(body: string, connection?: EventConnection, gone?: AbortSignal): Promise<AskedAnswer>
  close(): void
}

/** What a local service may differ in. */
export interface LocalServiceOptions {
  readonly methods?: readonly MethodDefinition[]
  readonly batch?: number
  readonly answerBytes?: number
  readonly enabled?: EnabledMethods
  readonly responseCacheBytes?: number
  /** Where the gateway reads the state by itself; none asks the pool. */
  readonly stateStore?: StateStore
  readonly admission?: Admission
  /** Who asks. */
  readonly caller?: Caller
  readonly onUnexpected?: (method: string, error: unknown) => void
  /** Told of slow requests. */
  readonly watch?: RequestWatch
  /** Takes spans of all requests. */
  readonly trace?: ExchangeTrace
  /** The head of the gateway; none where nobody asks for it. */
  readonly head?: FrontHead
  /** True when answers name their block. */
  readonly namesBlocks?: boolean
}

const LANE: LaneLimits = { pool: 'reads', queue: 1000, timeLimit: 60_000, batch: 100 }
const LANES: Readonly<Record<PoolLane, LaneLimits>> = {
  read: LANE,
  evm: LANE,
  scan: LANE,
  proof: LANE,
  trace: LANE,
}

/** Makes a gateway whose pools run in this thread. */
export function createLocalService(context: NodeContext, options: LocalServiceOptions = {}): LocalService {
  const methods = options.methods ?? METHODS
  const maxAnswerBytes = options.answerBytes ?? 10 * 1024 * 1024
  const onUnexpected = options.onUnexpected ?? (() => undefined)
  // As in a node, only the gateway's context belongs to the front thread.
  const { front: _front, ...workerContext } = context
  const runner = {
    context: workerContext,
    methods,
    maxAnswerBytes,
    reportsHead: options.namesBlocks ?? false,
    onUnexpected,
  }
  const pool = new LocalPool(runner)
  const dispatcher = new Dispatcher({
    lanes: LANES,
    pools: { reads: pool, calls: pool, scans: pool },
    interrupts: new InterruptTable(),
    onLostBatch: (error) => onUnexpected('batch', error),
  })
  const metrics = new RequestMetrics(methods)
  const gateway = new Gateway({
    router: new Router({
      methods,
      unsupported: UNSUPPORTED_METHODS,
      enabled: options.enabled ?? context.node.settings.enabled,
    }),
    dispatcher,
    admission: options.admission ?? OPEN_ADMISSION,
    context,
    ...(options.stateStore === undefined ? {} : { stateStore: options.stateStore }),
    metrics,
    ...(options.head === undefined ? {} : { head: options.head }),
    namesBlocks: options.namesBlocks ?? false,
    ...(options.watch === undefined ? {} : { watch: options.watch }),
    limits: {
      batch: options.batch ?? 50,
      answerBytes: maxAnswerBytes,
      responseCacheBytes: options.responseCacheBytes ?? 1024 * 1024,
    },
    onUnexpected,
  })
  const caller = options.caller ?? unlimitedCaller('test')
  const ask = (body: string, connection?: EventConnection, gone?: AbortSignal) =>
    new Promise<AskedAnswer>((resolve) => {
      const exchange: Exchange = {
        caller,
        answer: (answer, status) =>
          resolve({
            text: typeof answer === 'string' ? answer : Buffer.from(answer).toString('utf8'),
            status,
          }),
        ...(connection === undefined ? {} : { connection }),
        trace: options.trace ?? null,
        onGone: undefined,
        gone: false,
      }
      gone?.addEventListener('abort', () => exchange.onGone?.())
      gateway.handle(Buffer.from(body, 'utf8'), exchange)
    })
  return { gateway, dispatcher, metrics, ask, close: () => dispatcher.close() }
}
