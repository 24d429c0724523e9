import type { MessagePort } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { workerEntry, workerOptions } from '../util/entry.ts'
import type { RequestPool } from './interface.ts'
import {
  decodeAnswers,
  encodeRequests,
  type PoolAnswer,
  type PoolRequest,
  type PoolResult,
  type PoolTask,
  type WorkerHello,
  type WorkerSetup,
} from './messages.ts'
import { OutputBuffers } from './outputBuffers.ts'
import type { WorkerEnd } from './workerEnd.ts'

/** JavaScript heap of one worker in MiB: one that needs more dies alone, with what it runs. */
const WORKER_HEAP_MIB = 1024

/**
 * Most memory in MiB for objects of a worker that were just made. Batches leave little behind, so that the 48 MiB of
 * the engine's own choice would be spent on waiting: beside mixed reads this takes some 70 MiB less, at the same speed.
 */
const WORKER_YOUNG_MIB = 12

/** Milliseconds after which a worker that is ended does no more. */
const GIVEN_UP_MILLISECONDS = 10_000

/** Options of a pool of worker threads. */
export interface PooledOptions {
  /** Threads at most. */
  readonly threads: number
  /** Threads that are started at once and stay; all unless given. The others start when these are busy. */
  readonly permanent?: number
  /** Idle time after which the others end. */
  readonly idleMilliseconds?: number
  readonly setup: Omit<WorkerSetup, 'outputs'>
  /** Gets a port per worker, replaced ones included; whoever has the chain thread hands it on to it. */
  readonly onChainPort: (port: MessagePort) => void
}

/** Worker threads that run one batch each at a time. A thread that dies is replaced; its batch is lost. */
export class PooledPool implements RequestPool {
  readonly capacity: number
  /** Threads that are always there. */
  readonly permanent: number
  readonly #piscina: Piscina
  readonly #outputs: OutputBuffers
  #started = 0

  constructor({ threads, permanent = threads, idleMilliseconds = 0, setup, onChainPort }: PooledOptions) {
    this.capacity = threads
    this.permanent = permanent
    this.#outputs = new OutputBuffers(threads)
    const workerData: WorkerSetup = { ...setup, outputs: this.#outputs.buffers }
    this.#piscina = new Piscina({
      filename: workerEntry('./worker.ts', import.meta.url).href,
      ...workerOptions(import.meta.url),
      name: 'run',
      minThreads: permanent,
      maxThreads: threads,
      idleTimeout: idleMilliseconds,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
      resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MIB, maxYoungGenerationSizeMb: WORKER_YOUNG_MIB },
      workerData,
    })
    this.#piscina.on('message', ({ chainPort }: WorkerHello) => {
      this.#started += 1
      onChainPort(chainPort)
    })
  }

  /** Threads that run, that were ever started, and the time in which the running ones were not idle. */
  stats(): { readonly threads: number; readonly started: number; readonly activeSeconds: number } {
    const { threads } = this.#piscina
    const active = threads.reduce(
      (sum, { performance }) => sum + performance.eventLoopUtilization().active,
      0,
    )
    return { threads: threads.length, started: this.#started, activeSeconds: active / 1000 }
  }

  async run(requests: readonly PoolRequest[], end?: WorkerEnd): Promise<readonly PoolAnswer[]> {
    const batch = encodeRequests(requests)
    const output = this.#outputs.take()
    const task: PoolTask = { batch, output }
    const options = { transferList: [batch.buffer], ...(end === undefined ? {} : { signal: end }) }
    let result: PoolResult
    try {
      result = await this.#piscina.run(task, options)
    } catch (error) {
      // A worker that is given up may still be writing there.
      setTimeout(() => this.#outputs.leave(output), GIVEN_UP_MILLISECONDS).unref()
      throw error
    }
    // After whoever waits for the answers has sent them.
    setImmediate(() => this.#outputs.leave(output))
    return decodeAnswers(typeof result === 'number' ? this.#outputs.read(output, result) : result)
  }

  async close(): Promise<void> {
    await this.#piscina.destroy()
  }
}
