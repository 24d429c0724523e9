import { type MessagePort, Worker } from 'node:worker_threads'
import type { Logger } from '../observe/logger.ts'
import { workerOptions } from '../util/entry.ts'
import { createSteadyClock } from '../util/steadyClock.ts'
import { NodeError, type NodeErrorCode, type NodeErrorMetadata } from './errors.ts'

/** The messages of a thread that can be started again about its life, beside its own. */
export type LifeMessage<R = undefined> =
  | { readonly kind: 'ready'; readonly value: R }
  /** It could not start. */
  | { readonly kind: 'failed'; readonly error: NodeErrorMetadata }
  /** Something was thrown that nobody caught: it gives back what it holds and ends. */
  | { readonly kind: 'died'; readonly stack: string }
  | { readonly kind: 'closed' }

/** The orders to such a thread, beside its own. */
export type LifeOrder = { readonly kind: 'close' }

/** A kind of thread. */
export interface ThreadKind {
  /** Module that it begins with. */
  readonly entry: URL
  readonly name: string
  /** Its name in messages. */
  readonly title: string
  /** Code of the errors with which it ends. */
  readonly code: NodeErrorCode
  /** Longest time that its end is waited for, milliseconds: nothing is lost with it. */
  readonly patience: number
  /** Pause before it is started again, milliseconds: each time twice as long, up to the longest. */
  readonly firstPause: number
  readonly longestPause: number
  /** One that lived so long did not die of what the one before died of, milliseconds. */
  readonly longLife: number
}

/** Functions that begin one life of a thread, and are called on its messages and at its end. */
export interface LifeParts<M> {
  /** Its options, and the ports in them. */
  readonly data: unknown
  readonly ports: readonly MessagePort[]
  /** Called with its own messages. */
  onMessage?(message: M): void
  /** It is gone, and with it what was asked of it. */
  onGone?(error: NodeError): void
}

/** One life of a thread. */
interface Life<R> {
  /** Rejects with why it could not start, a NodeError. */
  readonly ready: Promise<R>
  /** Resolves when it is gone although nobody closed it, with what it died of. */
  readonly died: Promise<NodeError>
  readonly worker: Worker
  close(): Promise<void>
}

export interface KeptThreadParts<R, M> {
  readonly kind: ThreadKind
  readonly log: Logger
  begin(): LifeParts<M>
  /** It works: for the first time, or again. */
  onReady?(value: R): void
  /** It failed, and is started again. */
  onFailed?(error: NodeError): void
}

/** A thread that is started again whenever it fails, while chain and requests go on. */
export class KeptThread<R = undefined, M = never> {
  readonly #parts: KeptThreadParts<R, M>
  readonly #now = createSteadyClock()
  #life: Life<R> | null = null
  #restarts = 0
  #pause = 0
  #timer: NodeJS.Timeout | null = null
  #isClosing = false

  constructor(parts: KeptThreadParts<R, M>) {
    this.#parts = parts
  }

  /** Number of times that it was started again. */
  get restarts(): number {
    return this.#restarts
  }

  /** Seconds in which the present one was not idle. */
  busySeconds(): number {
    return (this.#life?.worker.performance.eventLoopUtilization().active ?? 0) / 1000
  }

  /** Sends it a message, unless there is none. */
  post(message: unknown): void {
    this.#life?.worker.postMessage(message)
  }

  /** Starts it and waits until it works. @throws NodeError when it does not start */
  async start(): Promise<void> {
    const { kind, begin, onReady } = this.#parts
    const began = this.#now()
    const life = beginLife<R, M>(kind, begin())
    this.#life = life
    try {
      onReady?.(await life.ready)
    } catch (error) {
      this.#life = null
      throw error
    }
    void life.died.then((error) => this.#failed(error, began))
  }

  /** As {@link start}; one that does not start is tried again later. */
  async keepStarting(): Promise<void> {
    const began = this.#now()
    await this.start().catch((error: unknown) => this.#failed(error as NodeError, began))
  }

  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#life?.close()
  }

  #failed(error: NodeError, began: number): void {
    const { kind, log, onFailed } = this.#parts
    this.#life = null
    if (this.#isClosing) return
    onFailed?.(error)
    const isFirst = this.#pause === 0 || this.#now() - began > kind.longLife
    this.#pause = isFirst ? kind.firstPause : Math.min(kind.longestPause, 2 * this.#pause)
    log.error(
      { err: error, pause: this.#pause, restarts: this.#restarts },
      `${kind.title} failed and is started again; chain and requests go on`,
    )
    this.#timer = setTimeout(() => {
      this.#restarts += 1
      void this.keepStarting()
    }, this.#pause)
  }
}

function beginLife<R, M>(kind: ThreadKind, { data, ports, onMessage, onGone }: LifeParts<M>): Life<R> {
  const { entry, name, title, patience } = kind
  const worker = new Worker(entry, {
    workerData: data,
    transferList: [...ports],
    ...workerOptions(import.meta.url),
    name,
  })
  const ready = promised<R>()
  const died = promised<NodeError>()
  const closed = promised<void>()
  let isClosing = false
  let reason: NodeError | null = null
  worker.on('message', (message: LifeMessage<R>) => {
    switch (message.kind) {
      case 'ready':
        ready.resolve(message.value)
        return
      case 'failed':
        reason = NodeError.fromObject(message.error)
        void worker.terminate()
        return
      case 'died':
        reason = failureOf(kind, message.stack)
        // It gives back what it holds and ends; where it does not, it is ended.
        setTimeout(() => void worker.terminate(), patience).unref()
        return
      case 'closed':
        closed.resolve()
        return
      default:
        onMessage?.(message)
    }
  })
  worker.on('error', (cause: Error) => {
    reason ??= failureOf(kind, cause.stack ?? cause.message, cause)
  })
  worker.on('exit', (exitCode) => {
    const error = reason ?? new NodeError(kind.code, `${title} ended with code ${exitCode}`)
    ready.reject(error)
    onGone?.(error)
    closed.resolve()
    if (!isClosing) died.resolve(error)
  })
  return {
    ready: ready.promise,
    died: died.promise,
    worker,
    close: async () => {
      isClosing = true
      worker.postMessage({ kind: 'close' } satisfies LifeOrder)
      const late = setTimeout(() => closed.resolve(), patience)
      await closed.promise
      clearTimeout(late)
      await worker.terminate()
    },
  }
}

/** The stack is for the log; elsewhere its first line is shown. */
function failureOf({ code, title }: ThreadKind, stack: string, cause?: Error): NodeError {
  const [first = stack] = stack.split('\n', 1)
  const error = new NodeError(code, `${title} failed: ${first}`, { cause })
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
