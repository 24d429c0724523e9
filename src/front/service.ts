import type { MessagePort } from 'node:worker_threads'
import type { HeadNotice, SyncNotice } from '../filters/events.ts'
import {
  DEFAULT_EVENT_LIMITS,
  type EventLimits,
  type FilterPlace,
  FrontEvents,
} from '../filters/frontEvents.ts'
import type { Caller } from '../gateway/access/caller.ts'
import type { Admission } from '../gateway/admission.ts'
import type { BlockWaitStats } from '../gateway/entrance/blockWaits.ts'
import { FrontHead } from '../gateway/entrance/frontHead.ts'
import type { CacheStats } from '../gateway/fastPath/responseCache.ts'
import { Gateway, type GatewayLimits } from '../gateway/gateway.ts'
import { RequestMetrics } from '../gateway/requestMetrics.ts'
import type { RequestWatch } from '../gateway/requestWatch.ts'
import { Router } from '../gateway/router.ts'
import { Dispatcher } from '../gateway/scheduler/dispatcher.ts'
import type { LaneStats } from '../gateway/scheduler/laneQueue.ts'
import { type LaneLimits, POOL_NAMES, type PoolLane, type PoolName } from '../gateway/scheduler/lanes.ts'
import type { MiningWork } from '../mining/interface.ts'
import type { FastCallStats } from '../native/nativeFastPath.ts'
import type { StateStore } from '../native/stateStore.ts'
import type { Tracing } from '../observe/tracing.ts'
import type { NodeContext } from '../rpc/context.ts'
import type { Lane } from '../rpc/defineMethod.ts'
import type { UnexpectedErrorSink } from '../rpc/execute.ts'
import { EVENT_TEXTS } from '../rpc/format/eventTexts.ts'
import type { Json } from '../rpc/json.ts'
import { METHODS, UNSUPPORTED_METHODS } from '../rpc/methods.ts'
import type { BlockReference } from '../storage/blockKey.ts'
import type { EncodedTransaction } from '../txpool/encodedTransaction.ts'
import type { RequestPool } from '../workers/interface.ts'
import { InterruptTable } from '../workers/interrupts.ts'
import { PooledPool } from '../workers/pooled.ts'
import { AnswerHeaders } from './answerHeaders.ts'
import { AnswerPacer } from './answerPacer.ts'
import { type DrainLimits, drain } from './drain.ts'
import { FrontMetrics, type FrontStats } from './frontMetrics.ts'
import type { FrontProbes } from './monitoring.ts'
import type { FrontOptions } from './options.ts'
import { Origins } from './origins.ts'
import { readPageFiles } from './pageFiles.ts'
import { type Front, listen } from './server.ts'
import type { SocketLibrary } from './socketLibrary.ts'
import { TickBudget } from './tickBudget.ts'

/** Idle time after which the threads of slow work end, milliseconds. */
const SCAN_IDLE = 60_000

/**
 * Niceness of the threads for long work, behind those that every client waits for: sockets, chain and short reads. When
 * all processors are busy, a balance must not wait for a trace.
 */
const CALLS_NICENESS = 2
const SCANS_NICENESS = 5

/** Milliseconds between two looks for subscribers to work, for which it is to be built on. */
const WORK_INTEREST = 30_000

/** The parts of the JSON-RPC service. */
export interface ServiceOptions {
  readonly sockets: SocketLibrary
  readonly front: FrontOptions
  readonly limits: GatewayLimits
  /** Limits of filters and subscriptions. */
  readonly events?: EventLimits
  /** Where filters live; in this node unless given. */
  readonly filters?: FilterPlace
  readonly lanes: Readonly<Record<PoolLane, LaneLimits>>
  /** Lanes other than the methods' own, by method name. */
  readonly methodLanes?: Readonly<Record<string, Lane>>
  /** Threads for eth_call and the like; reads have one thread, slow work as many again, started on demand. */
  readonly workers: number
  readonly admission: Admission
  /** The usage of a caller, for `GET /<API_KEY>/usage`; null for one without a key. */
  readonly usageReport?: (caller: Caller) => Promise<Json>
  /** Context of the front thread: inline methods and commands. */
  readonly context: NodeContext
  /** Where the front thread reads the state by itself. */
  readonly stateStore?: StateStore
  /** Module with `openNodeContext(options, interrupt, chainPort)` for the workers, and what it gets. */
  readonly contextModule: URL
  readonly contextOptions: unknown
  readonly probes: FrontProbes
  /** True when answers say which block they were given at; not unless given. */
  readonly blockHeaders?: boolean
  /** Told of slow requests. */
  readonly watch?: RequestWatch
  /** Where spans go; none when absent. */
  readonly tracing?: Tracing
  readonly onUnexpected: UnexpectedErrorSink
  /** Gets the port of each worker to the chain thread, to be served there (`workers/proxy.ts`). */
  readonly onChainPort: (port: MessagePort) => void
  /** Told of each WebSocket that was closed for what it had of a message that did not end. */
  readonly onReclaimedSocket?: () => void
  /** Told when a worker died and its batch was answered with -32603. */
  readonly onLostBatch: (error: unknown) => void
}

/** Figures of one pool of workers. Totals only grow. */
export interface WorkerStats {
  /** Threads that run. */
  readonly threads: number
  /** Threads that have a batch. */
  readonly busy: number
  /** Threads that were ever started, those that replaced a dead one included. */
  readonly started: number
  /** Seconds in which the running threads were not idle. */
  readonly activeSeconds: number
}

/** The counts of a service. */
export interface ServiceStats {
  readonly requests: RequestMetrics
  readonly front: FrontStats
  readonly lanes: Readonly<Record<PoolLane, LaneStats>>
  readonly pools: Readonly<Record<PoolName, WorkerStats>>
  readonly lostBatches: number
  /** Answers that hold as long as the head does. */
  readonly responseCache: CacheStats
  /** Calls and estimates that the front thread executed. */
  readonly fastCalls: FastCallStats
  readonly subscriptions: number
  readonly filters: number
  /** For how long bodies waited for blocks. */
  readonly blockWaits: BlockWaitStats
}

/** A running JSON-RPC service. */
export interface Service extends Omit<Front, 'close' | 'stopAccepting'> {
  /** Answers a JSON-RPC request that came on another way than over HTTP. @param caller who is charged */
  ask(request: string, caller: Caller): Promise<Buffer>
  /** Other nodes of the same service have these blocks: what names one waits for it here. */
  announce(blocks: readonly BlockReference[]): void
  /** To be called when a block can be read by its hash that is not canonical. */
  blockExecuted(): void
  /** Has what is read in this turn of the event loop outside of requests belong to the newest head. */
  takeSnapshot(): void
  /** To be called when something else changed that answers depend on: coinbase, mining, peers. */
  onChange(): void
  /** To be called after each committed change of the head, in order. */
  headChanged(notice: HeadNotice): void
  /** To be called when transactions entered the pending set, and when a reorganisation brought some back. */
  pendingAdded(transactions: readonly EncodedTransaction[]): void
  /** To be called when synchronisation began, and with null when it ended. */
  syncingChanged(progress: SyncNotice | null): void
  /** To be called with new work for miners, before the head that it is built on. */
  workBuilt(work: MiningWork): void
  stats(): ServiceStats
  /** Bounds of the lanes that count from now on. */
  setLanes(lanes: Readonly<Record<PoolLane, LaneLimits>>): void
  /** Resolves when a worker of each pool that is always there has answered. */
  ping(): Promise<void>
  /**
   * Takes no further connections and finishes what was asked, within limits. Then it is to be stopped.
   * @param leave called once requests are no longer sent here, before that; it is waited for
   */
  drain(limits: DrainLimits, leave?: () => Promise<void>): Promise<void>
  /** Ends listening, connections and workers. */
  stop(): Promise<void>
}

/**
 * Starts workers and listens.
 * @throws ListenError
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  const page = options.front.page ? await readPageFiles() : null
  const interrupts = new InterruptTable()
  const events = new FrontEvents(
    { ...options.context, takeSnapshot: () => gateway.takeSnapshot() },
    EVENT_TEXTS,
    options.events ?? DEFAULT_EVENT_LIMITS,
    options.filters,
  )
  const pools = createPools(options, interrupts)
  const dispatcher = new Dispatcher({
    lanes: options.lanes,
    pools,
    interrupts,
    onLostBatch: options.onLostBatch,
  })
  const metrics = new RequestMetrics(METHODS)
  const tellsBlocks = options.blockHeaders ?? false
  const head = new FrontHead(options.context)
  const gateway = new Gateway({
    router: new Router({
      methods: METHODS,
      unsupported: UNSUPPORTED_METHODS,
      enabled: options.context.node.settings.enabled,
      lanes: options.methodLanes ?? {},
    }),
    dispatcher,
    admission: options.admission,
    context: { ...options.context, front: events },
    ...(options.stateStore === undefined ? {} : { stateStore: options.stateStore }),
    limits: options.limits,
    head,
    tellsBlocks,
    metrics,
    ...(options.watch === undefined ? {} : { watch: options.watch }),
    onUnexpected: options.onUnexpected,
  })
  const closePools = async () => {
    dispatcher.close()
    await Promise.all(POOL_NAMES.map((name) => pools[name].close()))
  }
  const frontMetrics = new FrontMetrics()
  const pacer = new AnswerPacer()
  const routes = {
    events,
    gateway,
    admission: options.admission,
    options: options.front,
    origins: new Origins(options.front),
    answerBytes: options.limits.answerBytes,
    probes: options.probes,
    page,
    ...(options.usageReport === undefined ? {} : { usageReport: options.usageReport }),
    metrics: frontMetrics,
    pacer,
    headers: tellsBlocks ? new AnswerHeaders(head) : null,
    loop: new TickBudget(),
    ...(options.onReclaimedSocket === undefined ? {} : { onReclaimedSocket: options.onReclaimedSocket }),
    tracing: options.tracing ?? null,
  }
  const front = await startWorkers(pools)
    .then(() => listen(options.sockets, routes))
    .catch(async (error: unknown) => {
      await closePools()
      throw error
    })
  const workTimer = setInterval(() => {
    if (events.subscriptions.wantsWork) options.context.commands.mining?.keepAwake()
  }, WORK_INTEREST)
  workTimer.unref()
  return {
    ...front,
    ask: (request, caller) =>
      new Promise((resolve) => {
        gateway.handle(Buffer.from(request), caller, {
          answer: (body) => resolve(Buffer.from(body)),
          onGone: undefined,
          gone: false,
        })
      }),
    announce: (blocks) => gateway.announce(blocks),
    blockExecuted: () => gateway.blockExecuted(),
    takeSnapshot: () => gateway.takeSnapshot(),
    onChange: () => gateway.onChange(),
    headChanged: (notice) => {
      gateway.onChange()
      // An earlier snapshot may not contain the blocks yet.
      options.context.refresh()
      try {
        gateway.lookAtHead()
        events.headChanged(notice)
      } finally {
        options.context.release()
      }
      gateway.headChanged()
    },
    pendingAdded: (transactions) => {
      gateway.onStatusChange()
      events.pendingAdded(transactions)
    },
    syncingChanged: (progress) => {
      gateway.onStatusChange()
      events.syncingChanged(progress)
    },
    workBuilt: (work) => events.subscriptions.workBuilt(work),
    stats: () => ({
      requests: metrics,
      front: frontMetrics.stats(),
      lanes: dispatcher.stats(),
      pools: poolStats(pools, dispatcher.busyWorkers),
      lostBatches: dispatcher.lostBatches,
      responseCache: gateway.responseCache,
      fastCalls: gateway.fastCalls,
      subscriptions: events.subscriptions.size,
      filters: events.filters.size,
      blockWaits: gateway.blockWaits,
    }),
    setLanes: (lanes) => dispatcher.setLimits(lanes),
    ping: async () => {
      await Promise.all([pools.reads.run([]), pools.calls.run([])])
    },
    drain: (limits, leave = async () => undefined) =>
      drain({ front, metrics: frontMetrics, dispatcher, gateway }, limits, leave),
    stop: async () => {
      clearInterval(workTimer)
      pacer.close()
      front.close()
      await closePools()
    },
  }
}

/**
 * Waits until the permanent threads answer, so that no request waits for their start.
 * @throws the error that keeps them from starting
 */
async function startWorkers({ reads, calls }: Record<PoolName, RequestPool>): Promise<void> {
  const empty = [reads, calls].flatMap((pool) => Array.from({ length: pool.capacity }, () => pool.run([])))
  await Promise.all(empty)
}

function poolStats(
  pools: Readonly<Record<PoolName, PooledPool>>,
  busy: Readonly<Record<PoolName, number>>,
): Record<PoolName, WorkerStats> {
  const of = (name: PoolName): WorkerStats => ({ ...pools[name].stats(), busy: busy[name] })
  return { reads: of('reads'), calls: of('calls'), scans: of('scans') }
}

function createPools(options: ServiceOptions, interrupts: InterruptTable): Record<PoolName, PooledPool> {
  const setup = {
    niceness: 0,
    contextModule: options.contextModule.href,
    contextOptions: options.contextOptions,
    interrupts: interrupts.shared,
    maxAnswerBytes: options.limits.answerBytes,
    tellsHead: options.blockHeaders ?? false,
  }
  const { onChainPort } = options
  return {
    reads: new PooledPool({ threads: 1, setup, onChainPort }),
    calls: new PooledPool({
      threads: options.workers,
      setup: { ...setup, niceness: CALLS_NICENESS },
      onChainPort,
    }),
    scans: new PooledPool({
      threads: options.workers,
      idleMilliseconds: SCAN_IDLE,
      setup: { ...setup, niceness: SCANS_NICENESS },
      onChainPort,
    }),
  }
}
