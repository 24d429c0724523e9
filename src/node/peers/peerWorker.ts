import { type MessagePort, Worker } from 'node:worker_threads'
import { workerOptions } from '../../util/entry.ts'
import { NodeError } from '../errors.ts'
import type { PeerOptions } from '../options/peerOptions.ts'
import type {
  AdminCall,
  PeerReport,
  PeerThreadMessage,
  PeerThreadOrder,
  PeerThreadSetup,
} from './messages.ts'

/** Longest time that the end of the peer thread is waited for, milliseconds: nothing is lost with it. */
const CLOSE_TIMEOUT = 3000
/** Calls that may wait for a thread that is slow. */
const MAX_CALLS = 256

/** The parts with which a {@link PeerWorker} is started. */
export interface PeerWorkerParts {
  /** Module that the thread begins with. */
  readonly entry: URL
  readonly options: PeerOptions
  /** Port that the chain thread serves (`sync/link`). */
  readonly chain: MessagePort
  /** Called with every report, once a second. */
  onReport(report: PeerReport): void
}

/** One life of the peer thread. */
export interface PeerWorker {
  /** enode URL of this node. */
  readonly enode: string
  /** Port that peers are taken on; null where none are. */
  readonly port: number | null
  /** Resolves when the thread is gone although nobody closed it, with what it died of. */
  readonly died: Promise<NodeError>
  /** @throws Error with the thread's reason, NodeError `PEER_THREAD` when it ends or too many wait */
  ask(call: AdminCall): Promise<never>
  /** Seconds so far in which the thread was not idle. */
  busySeconds(): number
  close(): Promise<void>
}

/**
 * Starts the peer thread and waits until it listens.
 * @throws NodeError when the port is taken or the node key cannot be used, or when the thread dies first
 */
export async function startPeerWorker({
  entry,
  options,
  chain,
  onReport,
}: PeerWorkerParts): Promise<PeerWorker> {
  const setup: PeerThreadSetup = { options, chain }
  const worker = new Worker(entry, {
    workerData: setup,
    transferList: [chain],
    ...workerOptions(import.meta.url),
    name: 'peers',
  })
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let lastId = 0
  let closing = false
  let reason: NodeError | null = null
  const closed = promised<void>()
  const died = promised<NodeError>()
  const ready = promised<Extract<PeerThreadMessage, { kind: 'ready' }>>()
  const tell = (order: PeerThreadOrder) => worker.postMessage(order)
  worker.on('message', (message: PeerThreadMessage) => {
    switch (message.kind) {
      case 'ready':
        ready.resolve(message)
        return
      case 'failed':
        reason = NodeError.fromObject(message.error)
        void worker.terminate()
        return
      case 'died':
        reason = threadError(message.stack)
        // It gives back what it holds and ends; where it does not, it is ended.
        setTimeout(() => void worker.terminate(), CLOSE_TIMEOUT).unref()
        return
      case 'report':
        tell({ kind: 'heard' })
        onReport(message.report)
        return
      case 'answer':
        waiting.get(message.id)?.resolve(message.value as never)
        waiting.delete(message.id)
        return
      case 'refusal':
        waiting.get(message.id)?.reject(new Error(message.reason))
        waiting.delete(message.id)
        return
      case 'closed':
        closed.resolve()
    }
  })
  worker.on('error', (cause: Error) => {
    reason ??= threadError(cause.stack ?? cause.message, cause)
  })
  worker.on('exit', (code) => {
    const error = reason ?? new NodeError('PEER_THREAD', `the peer thread ended with code ${code}`)
    ready.reject(error)
    for (const asked of waiting.values()) asked.reject(error)
    waiting.clear()
    closed.resolve()
    if (!closing) died.resolve(error)
  })
  const { enode, port } = await ready.promise
  return {
    enode,
    port,
    died: died.promise,
    ask: (call) =>
      new Promise((resolve, reject) => {
        if (waiting.size >= MAX_CALLS) throw new NodeError('PEER_THREAD', 'the peer thread is busy')
        lastId += 1
        waiting.set(lastId, { resolve, reject })
        tell({ kind: 'admin', id: lastId, ...call })
      }),
    busySeconds: () => worker.performance.eventLoopUtilization().active / 1000,
    close: async () => {
      closing = true
      tell({ kind: 'close' })
      const late = setTimeout(() => closed.resolve(), CLOSE_TIMEOUT)
      await closed.promise
      clearTimeout(late)
      await worker.terminate()
    },
  }
}

/** The stack is for the log; what is told elsewhere is its first line. */
function threadError(stack: string, cause?: Error): NodeError {
  const [first = stack] = stack.split('\n', 1)
  const error = new NodeError('PEER_THREAD', `the peer thread failed: ${first}`, { cause })
  error.stack = stack
  return error
}

/** A promise that is settled by whoever has it. */
function promised<T>(): {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: Error) => void
} {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<T>((settle, fail) => {
    resolve = settle
    reject = fail
  })
  return { promise, resolve, reject }
}
