import { MessageChannel, Worker } from 'node:worker_threads'
import type { FleetFrontEvent, FleetFrontService, FleetThreadService } from '../../fleet/interface.ts'
import { workerOptions } from '../../util/entry.ts'
import { createProxy, serve } from '../../workers/proxy.ts'
import { NodeError } from '../errors.ts'
import type { FleetThreadMessage, FleetThreadOrder, FleetThreadSetup } from './messages.ts'
import type { FleetHandleParts } from './parts.ts'

/** Longest time that the end of the fleet thread is waited for, milliseconds. */
const CLOSE_TIMEOUT = 2000

/** One life of the fleet thread. */
export interface FleetWorker {
  readonly service: FleetThreadService
  /** Resolves when it takes part; rejects with what it died of before, or with why it cannot. */
  readonly ready: Promise<void>
  /** Resolves when the thread is gone although nobody closed it, with what it died of. */
  readonly died: Promise<FleetThreadEnd>
  /** Seconds so far in which the thread was not idle. */
  busySeconds(): number
  close(): Promise<void>
}

/** How a thread ended. */
export interface FleetThreadEnd {
  readonly error: NodeError
  /** True when another one could do better. */
  readonly isPassing: boolean
}

/** Starts the fleet thread. */
export function startFleetWorker(
  { entry, options, connectChain, front }: FleetHandleParts,
  onEvent: (event: FleetFrontEvent) => void,
): FleetWorker {
  const chain = connectChain()
  const { port1, port2 } = new MessageChannel()
  const setup: FleetThreadSetup = { options, front: port2, chain }
  const worker = new Worker(entry, {
    workerData: setup,
    transferList: [chain, port2],
    ...workerOptions(import.meta.url),
    name: 'fleet',
  })
  const service = createProxy<FleetThreadService, FleetFrontEvent>(port1, onEvent)
  serve<FleetFrontService>(port1, front)
  // The thread itself keeps the process running.
  port1.unref()
  let isClosing = false
  let end: FleetThreadEnd | null = null
  const ready = later<void>()
  const closed = later<void>()
  const died = later<FleetThreadEnd>()
  ready.promise.catch(() => undefined)
  worker.on('message', (message: FleetThreadMessage) => {
    switch (message.kind) {
      case 'ready':
        ready.resolve()
        return
      case 'failed':
        end = { error: NodeError.fromObject(message.error), isPassing: false }
        void worker.terminate()
        return
      case 'died':
        end = { error: threadError(message.reason), isPassing: true }
        setTimeout(() => void worker.terminate(), CLOSE_TIMEOUT).unref()
        return
      case 'closed':
        closed.resolve()
    }
  })
  worker.on('error', (cause: Error) => {
    end ??= { error: threadError(cause.stack ?? cause.message), isPassing: true }
  })
  worker.on('exit', (code) => {
    const reason = end ?? { error: threadError(`it ended with code ${code}`), isPassing: true }
    ready.reject(reason.error)
    closed.resolve()
    port1.close()
    if (!isClosing) died.resolve(reason)
  })
  return {
    service,
    ready: ready.promise,
    died: died.promise,
    busySeconds: () => worker.performance.eventLoopUtilization().active / 1000,
    close: async () => {
      isClosing = true
      worker.postMessage({ kind: 'close' } satisfies FleetThreadOrder)
      const late = setTimeout(() => closed.resolve(), CLOSE_TIMEOUT)
      await closed.promise
      clearTimeout(late)
      await worker.terminate()
    },
  }
}

interface Later<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: Error) => void
}

function later<T>(): Later<T> {
  let settle: Pick<Later<T>, 'resolve' | 'reject'> | null = null
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, ...(settle as unknown as Pick<Later<T>, 'resolve' | 'reject'>) }
}

/** The stack is for the log; what is told elsewhere is its first line. */
function threadError(stack: string): NodeError {
  const [first = stack] = stack.split('\n', 1)
  const error = new NodeError('FLEET_THREAD', `the fleet thread failed: ${first}`)
  error.stack = stack
  return error
}
