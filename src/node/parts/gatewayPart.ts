import {
  DEFAULT_EVENT_LIMITS,
  type EventLimits,
  type FilterOpener,
  FrontEvents,
} from '../../filters/frontEvents.ts'
import type { Admission } from '../../gateway/admission.ts'
import { FrontHead } from '../../gateway/entrance/frontHead.ts'
import { Gateway, type GatewayLimits } from '../../gateway/gateway.ts'
import { RequestMetrics } from '../../gateway/requestMetrics.ts'
import type { RequestWatch } from '../../gateway/requestWatch.ts'
import { Router } from '../../gateway/router.ts'
import type { Dispatcher } from '../../gateway/scheduler/dispatcher.ts'
import type { StateStore } from '../../native/stateStore.ts'
import type { NodeContext } from '../../rpc/context.ts'
import type { Lane, MethodDefinition } from '../../rpc/defineMethod.ts'
import type { UnexpectedErrorSink } from '../../rpc/execute.ts'
import { EVENT_TEXTS } from '../../rpc/format/eventTexts.ts'
import { METHODS, UNSUPPORTED_METHODS } from '../../rpc/methods.ts'

/** Methods whose executions are reported. */
const EXECUTING: ReadonlySet<string> = new Set(['eth_call', 'eth_estimateGas'])

/** The parts that requests are answered with. */
export interface GatewayPartOptions {
  readonly limits: GatewayLimits
  /** Limits of filters and subscriptions. */
  readonly events?: EventLimits
  /** Opener of filters; this node opens them unless given. */
  readonly filters?: FilterOpener
  /** Lanes other than the methods' own, by method name. */
  readonly methodLanes?: Readonly<Record<string, Lane>>
  /** Every call and estimate reaches a worker, which reports it: none is answered from what was executed before. */
  readonly reportsCalls?: boolean
  readonly admission: Admission
  /** Context of the front thread: inline methods and commands. */
  readonly context: NodeContext
  /** Store from which the front thread reads the state by itself. */
  readonly stateStore?: StateStore
  /** True when answers say which block they were given at; not unless given. */
  readonly blockHeaders?: boolean
  /** Called for slow requests. */
  readonly watch?: RequestWatch
  readonly onUnexpected: UnexpectedErrorSink
}

/** The JSON-RPC gateway with its router, filters and subscriptions. It has nothing to close. */
export interface GatewayPart {
  readonly gateway: Gateway
  readonly events: FrontEvents
  readonly head: FrontHead
  readonly metrics: RequestMetrics
}

/** @param dispatcher takes requests to the workers */
export function createGateway(options: GatewayPartOptions, dispatcher: Dispatcher): GatewayPart {
  const { context } = options
  const events = new FrontEvents(
    { ...context, takeSnapshot: () => gateway.takeSnapshot() },
    EVENT_TEXTS,
    options.events ?? DEFAULT_EVENT_LIMITS,
    options.filters,
  )
  const metrics = new RequestMetrics(METHODS)
  const head = new FrontHead(context)
  const gateway = new Gateway({
    router: new Router({
      methods: options.reportsCalls === true ? METHODS.map(executedByWorkers) : METHODS,
      unsupported: UNSUPPORTED_METHODS,
      enabled: context.node.settings.enabled,
      lanes: options.methodLanes ?? {},
    }),
    dispatcher,
    admission: options.admission,
    context: { ...context, front: events },
    ...(options.stateStore === undefined ? {} : { stateStore: options.stateStore }),
    limits: options.limits,
    head,
    namesBlocks: options.blockHeaders ?? false,
    metrics,
    ...(options.watch === undefined ? {} : { watch: options.watch }),
    onUnexpected: options.onUnexpected,
  })
  return { gateway, events, head, metrics }
}

/** A method as it is, and one that executes calls without its shortcuts. */
function executedByWorkers(method: MethodDefinition): MethodDefinition {
  return EXECUTING.has(method.name) ? { ...method, fast: null, cache: 'none' } : method
}
