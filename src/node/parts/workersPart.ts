import type { MessagePort } from 'node:worker_threads'
import type { GatewayLimits } from '../../gateway/gateway.ts'
import { Dispatcher } from '../../gateway/scheduler/dispatcher.ts'
import { type LaneLimits, POOL_NAMES, type PoolLane, type PoolName } from '../../gateway/scheduler/lanes.ts'
import { InterruptTable } from '../../workers/interrupts.ts'
import { PooledPool } from '../../workers/pooled.ts'
import type { Opened } from '../opened.ts'

/** Idle time after which threads end that are not permanent, milliseconds. */
const IDLE_MILLISECONDS = 60_000

/**
 * Niceness of the threads for long work, behind those that every client waits for: sockets, chain and short reads. When
 * all processors are busy, a balance must not wait for a trace.
 */
const CALLS_NICENESS = 2
const SCANS_NICENESS = 5

/** The worker threads of a service. */
export interface WorkerOptions {
  readonly limits: GatewayLimits
  readonly lanes: Readonly<Record<PoolLane, LaneLimits>>
  /** Threads for eth_call and the like; reads have one thread, slow work as many again, started on demand. */
  readonly workers: number
  /** Number of these that are started at once, all unless given; the others start when they are needed. */
  readonly permanentWorkers?: number
  /** Module with `openNodeContext(options, interrupt, chainPort)` for the workers, and what it gets. */
  readonly contextModule: URL
  readonly contextOptions: unknown
  /** True when answers say which block they were given at; not unless given. */
  readonly blockHeaders?: boolean
  /** Gets the port of each worker to the chain thread, to be served there (`node/proxy/proxy.ts`). */
  readonly onChainPort: (port: MessagePort) => void
  /** Called when a worker died and its batch was answered with -32603. */
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

/** Worker threads, and what takes requests to them. */
export interface WorkersPart {
  readonly dispatcher: Dispatcher
  stats(): Record<PoolName, WorkerStats>
  /**
   * Waits until the permanent threads answer, so that no request waits for their start.
   * @throws the error that keeps them from starting
   */
  started(): Promise<void>
  /** Resolves when a worker of each pool that is always there has answered. */
  ping(): Promise<void>
}

/** Begins to start the permanent threads; {@link WorkersPart.started} waits for them. */
export async function openWorkers(parts: Opened, options: WorkerOptions): Promise<WorkersPart> {
  const interrupts = new InterruptTable()
  const pools = await parts.open({
    open: () => createPools(options, interrupts),
    close: async (pools) => {
      await Promise.all(POOL_NAMES.map((name) => pools[name].close()))
    },
  })
  const { lanes, onLostBatch } = options
  const dispatcher = await parts.open({
    open: () => new Dispatcher({ lanes, pools, interrupts, onLostBatch }),
    close: (dispatcher) => dispatcher.close(),
  })
  return {
    dispatcher,
    stats: () => poolStats(pools, dispatcher.busyWorkers),
    started: () => startWorkers(pools),
    ping: async () => {
      await Promise.all(
        [pools.reads, pools.calls].filter(({ permanent }) => permanent > 0).map((pool) => pool.run([])),
      )
    },
  }
}

async function startWorkers({ reads, calls }: Record<PoolName, PooledPool>): Promise<void> {
  const empty = [reads, calls].flatMap((pool) => Array.from({ length: pool.permanent }, () => pool.run([])))
  await Promise.all(empty)
}

function poolStats(
  pools: Readonly<Record<PoolName, PooledPool>>,
  busy: Readonly<Record<PoolName, number>>,
): Record<PoolName, WorkerStats> {
  const of = (name: PoolName): WorkerStats => ({ ...pools[name].stats(), busy: busy[name] })
  return { reads: of('reads'), calls: of('calls'), scans: of('scans') }
}

function createPools(options: WorkerOptions, interrupts: InterruptTable): Record<PoolName, PooledPool> {
  const setup = {
    niceness: 0,
    contextModule: options.contextModule.href,
    contextOptions: options.contextOptions,
    interrupts: interrupts.shared,
    maxAnswerBytes: options.limits.answerBytes,
    reportsHead: options.blockHeaders ?? false,
  }
  const { onChainPort } = options
  return {
    reads: new PooledPool({ threads: 1, setup, onChainPort }),
    calls: new PooledPool({
      threads: options.workers,
      permanent: options.permanentWorkers ?? options.workers,
      idleMilliseconds: IDLE_MILLISECONDS,
      setup: { ...setup, niceness: CALLS_NICENESS },
      onChainPort,
    }),
    scans: new PooledPool({
      threads: options.workers,
      permanent: 0,
      idleMilliseconds: IDLE_MILLISECONDS,
      setup: { ...setup, niceness: SCANS_NICENESS },
      onChainPort,
    }),
  }
}
