import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { BlockHeader } from '../../chain/codec/header.ts'
import type { PrunedStates } from '../../chain/statePruning.ts'
import type { PrunedValues } from '../../chain/valuePruning.ts'
import type { HeadNotice } from '../../filters/events.ts'
import type { MiningWork, SubmissionResult } from '../../mining/interface.ts'
import type { EncodedTransaction } from '../../txpool/encodedTransaction.ts'
import { asBuffer } from '../../util/bytes.ts'
import { workerEntry, workerOptions } from '../../util/entry.ts'
import { NodeError } from '../errors.ts'
import type { ChainOptions } from '../options/chainOptions.ts'
import { createProxy } from '../proxy/proxy.ts'
import type { HeadStats } from './chainListener.ts'
import type { ChainService } from './chainService.ts'
import type {
  BlockChoices,
  ChainEvent,
  ChainThreadMessage,
  ChainThreadOrder,
  ChainThreadSetup,
  PoolStats,
} from './messages.ts'
import { unpackPending } from './pendingMessage.ts'

/** The listener of the chain thread, called before the answers to the calls that led to an event. */
export interface ChainHandleListener {
  /** The header of a new head, before {@link onHead}; where the chain is in this thread. */
  onHeader(header: BlockHeader): void
  onHead(notice: HeadNotice, pool: PoolStats, stats: HeadStats): void
  /** A block of this height can be read by its hash, and is not canonical yet. */
  onExecuted(height: number): void
  onPending(transactions: readonly EncodedTransaction[]): void
  /** A transaction left the pool because no block of a fork can have it. @param hash 0x hex */
  onUnreadable(hash: string, reason: string): void
  /** True when blocks are made without being asked for. */
  onMining(on: boolean): void
  /** Users changed something else that answers depend on. */
  onChange(choices: BlockChoices): void
  /** The stores take no writes any more, and why; null when they do again. */
  onStore(fault: string | null): void
  /** States of old blocks were given up. */
  onPruned(pruned: PrunedStates | PrunedValues): void
  /** New work for miners; before the head that it is built on. */
  onWork(work: MiningWork): void
  /** @param age seconds since the work was built; null for an unknown one */
  onSubmission(result: SubmissionResult, age: number | null): void
  /** Something failed that nobody waits for. */
  onFault(text: string): void
}

/** The chain thread as the front thread has it. */
export interface ChainHandle {
  /** Its services for this thread. */
  readonly service: ChainService
  /** Height of the head when it started. */
  readonly head: number
  /** Time of that head, seconds since 1970. */
  readonly headTime: number
  /** The pool when it started. */
  readonly pool: PoolStats
  /** True when no transaction is pending, by the events that came so far; false where that is not known. */
  isPoolEmpty(): boolean
  /** Seconds so far in which the thread was not idle. */
  busySeconds(): number
  /** The choices with which it made blocks when it started. */
  readonly choices: BlockChoices
  /** Transactions of the last run that the pool took back. */
  readonly restored: number
  /** Lets it make blocks. */
  start(): void
  /** Lets another thread call it through the port, whose other end that thread has. */
  serve(port: MessagePort): void
  /** A port for the peer thread. */
  connectPeers(): MessagePort
  /**
   * A port for the fleet thread: it has `FleetChainService` over it with the events `FleetChainEvent`, and has to serve
   * `FleetAnnouncer` over it (`fleet/interface.ts`, `node/proxy/proxy.ts`).
   */
  connectFleet(): MessagePort
  /** Has requests for many blocks end with the block at hand, because the node stops. */
  endRequests(): void
  /** Resolves when everything is on disk and closed. */
  close(): Promise<void>
  /** Rejects with a NodeError when the thread ends by itself. */
  readonly failed: Promise<never>
}

/**
 * Starts the chain thread and waits until the chain can be read.
 * @throws NodeError when the data directory cannot be used
 */
export async function startChainThread(
  options: ChainOptions,
  listener: ChainHandleListener,
): Promise<ChainHandle> {
  const { port1, port2 } = new MessageChannel()
  const setup: ChainThreadSetup = { options, front: port2 }
  const worker = new Worker(workerEntry('./chainThread.ts', import.meta.url), {
    workerData: setup,
    transferList: [port2],
    ...workerOptions(import.meta.url),
    name: 'chain',
  })
  let isPoolEmpty = false
  const service = createProxy<ChainService, ChainEvent>(port1, (event) => {
    if (event.kind === 'pending') isPoolEmpty = false
    else if (event.kind === 'head') isPoolEmpty = event.pool.pending === 0
    reportEvent(listener, event)
  })
  // The thread itself keeps the process running.
  port1.unref()
  const post = (order: ChainThreadOrder, ports: MessagePort[] = []) => worker.postMessage(order, ports)
  let closing = false
  let settleClosed: () => void = () => undefined
  const closed = new Promise<void>((resolve) => {
    settleClosed = resolve
  })
  let fail: (error: unknown) => void = () => undefined
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  // Whoever waits for it gets it; nobody has to.
  failed.catch(() => undefined)
  const ready = new Promise<Extract<ChainThreadMessage, { kind: 'ready' }>>((resolve, reject) => {
    worker.on('message', (message: ChainThreadMessage) => {
      switch (message.kind) {
        case 'ready':
          resolve(message)
          return
        case 'failed':
          reject(NodeError.fromObject(message.error))
          return
        case 'closed':
          settleClosed()
          return
        case 'broken':
          fail(NodeError.fromObject(message.error))
      }
    })
    const end = (error: NodeError) => {
      reject(error)
      fail(error)
      settleClosed()
    }
    worker.on('error', (cause: Error) =>
      end(
        new NodeError('CHAIN_THREAD', `the chain thread failed: ${cause.stack ?? cause.message}`, { cause }),
      ),
    )
    worker.on('exit', (code) => {
      if (!closing) end(new NodeError('CHAIN_THREAD', `the chain thread ended with code ${code}`))
      settleClosed()
    })
  })
  const { head, timestamp, coinbase, priceTarget, restored, pool } = await ready
  return {
    service,
    head,
    headTime: timestamp,
    pool,
    isPoolEmpty: () => isPoolEmpty,
    choices: { coinbase: coinbase === null ? null : asBuffer(coinbase), priceTarget },
    restored,
    failed,
    busySeconds: () => worker.performance.eventLoopUtilization().active / 1000,
    start: () => post({ kind: 'start' }),
    serve: (port) => post({ kind: 'serve', port }, [port]),
    connectPeers: () => {
      const { port1, port2 } = new MessageChannel()
      post({ kind: 'servePeers', port: port2 }, [port2])
      return port1
    },
    connectFleet: () => {
      const { port1, port2 } = new MessageChannel()
      post({ kind: 'serveFleet', port: port2 }, [port2])
      return port1
    },
    endRequests: () => post({ kind: 'endRequests' }),
    close: async () => {
      closing = true
      post({ kind: 'close' })
      await closed
      // Ports of threads that are still there would keep it running.
      await worker.terminate()
    },
  }
}

/** Passes an event on. */
export function reportEvent(listener: ChainHandleListener, event: ChainEvent): void {
  switch (event.kind) {
    case 'head':
      listener.onHead(event.notice, event.pool, event.stats)
      return
    case 'executed':
      listener.onExecuted(event.height)
      return
    case 'pending':
      listener.onPending(unpackPending(event.packed))
      return
    case 'unreadable':
      listener.onUnreadable(event.hash, event.reason)
      return
    case 'mining':
      listener.onMining(event.on)
      return
    case 'changed':
      listener.onChange(event)
      return
    case 'store':
      listener.onStore(event.fault)
      return
    case 'pruned':
      listener.onPruned(event)
      return
    case 'work':
      listener.onWork(event.work)
      return
    case 'submission':
      listener.onSubmission(event.result, event.age)
      return
    case 'fault':
      listener.onFault(event.text)
  }
}
