import type { BlockReference } from '../chain/tables/blockKey.ts'
import type { HeadNotice, SyncNotice } from '../filters/events.ts'
import type { DrainLimits } from '../front/drain.ts'
import type { FrontStats } from '../front/frontMetrics.ts'
import type { FrontProbes } from '../front/monitoring.ts'
import { openFront } from '../front/openFront.ts'
import type { FrontOptions } from '../front/options.ts'
import type { Front } from '../front/server.ts'
import type { SocketLibrary } from '../front/socketLibrary.ts'
import type { Caller } from '../gateway/access/caller.ts'
import type { BlockWaitStats } from '../gateway/entrance/blockWaits.ts'
import type { CacheStats } from '../gateway/fastPath/responseCache.ts'
import type { RequestMetrics } from '../gateway/requestMetrics.ts'
import type { LaneStats } from '../gateway/scheduler/laneQueue.ts'
import type { PoolLane, PoolName } from '../gateway/scheduler/lanes.ts'
import type { MiningWork } from '../mining/interface.ts'
import type { FastCallStats } from '../native/nativeFastPath.ts'
import type { Tracing } from '../observe/tracing.ts'
import type { Json } from '../rpc/json.ts'
import type { EncodedTransaction } from '../txpool/encodedTransaction.ts'
import { Opened } from './opened.ts'
import { createGateway, type GatewayPartOptions } from './parts/gatewayPart.ts'
import { openWorkers, type WorkerOptions, type WorkerStats } from './parts/workersPart.ts'

/** Milliseconds between two looks for subscribers to work, for which it is to be built on. */
const WORK_INTEREST_MILLISECONDS = 30_000

/** The parts of the JSON-RPC service. */
export interface ServiceOptions extends WorkerOptions, GatewayPartOptions {
  readonly sockets: SocketLibrary
  readonly front: FrontOptions
  /** Called right before it listens: whoever had the port before gives it up. */
  readonly beforeListening?: () => void
  /** The usage of a caller, for `GET /<API_KEY>/usage`; null for one without a key. */
  readonly usageReport?: (caller: Caller) => Promise<Json>
  readonly probes: FrontProbes
  /** Receiver of spans; none when absent. */
  readonly tracing?: Tracing
  /** Called for each WebSocket that was closed for what it had of a message that did not end. */
  readonly onReclaimedSocket?: () => void
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
export interface Service extends Omit<Front, 'close'> {
  /** Answers a JSON-RPC request that came on another way than over HTTP. @param caller who is charged */
  ask(request: string, caller: Caller): Promise<Buffer>
  /** Other nodes of the same service have these blocks: what names one waits for it here. */
  announce(blocks: readonly BlockReference[]): void
  /** To be called when a block of this height can be read by its hash that is not canonical. */
  blockExecuted(height: number): void
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
  setLanes(lanes: WorkerOptions['lanes']): void
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
export function openService(options: ServiceOptions): Promise<Service> {
  return Opened.build(async (parts) => {
    const workers = await openWorkers(parts, options)
    const { dispatcher } = workers
    const { gateway, events, head, metrics } = createGateway(options, dispatcher)
    await workers.started()
    options.beforeListening?.()
    const front = await parts.open({
      open: () =>
        openFront({
          sockets: options.sockets,
          options: options.front,
          events,
          gateway,
          admission: options.admission,
          answerBytes: options.limits.answerBytes,
          head: options.blockHeaders === true ? head : null,
          probes: options.probes,
          ...(options.usageReport === undefined ? {} : { usageReport: options.usageReport }),
          ...(options.tracing === undefined ? {} : { tracing: options.tracing }),
          ...(options.onReclaimedSocket === undefined
            ? {}
            : { onReclaimedSocket: options.onReclaimedSocket }),
        }),
      close: (front) => front.close(),
    })
    await parts.open({
      open: () =>
        setInterval(() => {
          if (events.subscriptions.wantsWork) options.context.commands.mining?.keepAwake()
        }, WORK_INTEREST_MILLISECONDS).unref(),
      close: (timer) => clearInterval(timer),
    })
    return {
      ...front,
      ask: (request, caller) =>
        new Promise((resolve) => {
          gateway.handle(Buffer.from(request), {
            caller,
            answer: (body) => resolve(Buffer.from(body)),
            onGone: undefined,
            gone: false,
          })
        }),
      announce: (blocks) => gateway.announce(blocks),
      blockExecuted: (height) => gateway.blockExecuted(height),
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
        front: front.stats(),
        lanes: dispatcher.stats(),
        pools: workers.stats(),
        lostBatches: dispatcher.lostBatches,
        responseCache: gateway.responseCache,
        fastCalls: gateway.fastCalls,
        subscriptions: events.subscriptions.size,
        filters: events.filters.size,
        blockWaits: gateway.blockWaits,
      }),
      setLanes: (lanes) => dispatcher.setLimits(lanes),
      ping: () => workers.ping(),
      drain: (limits, leave = async () => undefined) =>
        front.drain(limits, leave, (error) => {
          dispatcher.abandon(error)
          gateway.abandon(error)
        }),
      stop: () => parts.close(),
    }
  })
}
