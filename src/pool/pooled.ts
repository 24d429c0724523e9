import type { MessagePort } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { workerEntry } from '../util/entry.ts'
import type { RequestPool } from './interface.ts'
import {
  decodeAnswers,
  encodeRequests,
  type PoolAnswer,
  type PoolRequest,
  type PoolTask,
  type WorkerHello,
  type WorkerSetup,
} from './messages.ts'

/** JavaScript heap of one worker in MiB: one that needs more dies alone, with what it runs. */
const WORKER_HEAP_MB = 1024

/** How a pool of worker threads is made. */
export interface PooledOptions {
  /** Threads, all started at once. */
  readonly threads: number
  /** Start threads when there is work and end them after this idle time, instead. */
  readonly idleMilliseconds?: number
  readonly setup: WorkerSetup
  /** Gets a port per worker, replaced ones included; whoever has the chain thread hands it on to it. */
  readonly onChainPort: (port: MessagePort) => void
}

/** Worker threads that run one batch each at a time. A thread that dies is replaced; its batch is lost. */
export class PooledPool implements RequestPool {
  readonly capacity: number
  readonly #piscina: Piscina
  #started = 0

  constructor({ threads, idleMilliseconds, setup, onChainPort }: PooledOptions) {
    this.capacity = threads
    this.#piscina = new Piscina({
      filename: workerEntry('./worker.ts', import.meta.url).href,
      name: 'run',
      minThreads: idleMilliseconds === undefined ? threads : 0,
      maxThreads: threads,
      idleTimeout: idleMilliseconds ?? 0,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
      resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB },
      workerData: setup,
    })
    this.#piscina.on('message', ({ chainPort }: WorkerHello) => {
      this.#started += 1
      onChainPort(chainPort)
    })
  }

  /** Threads that run, that were ever started, and the time in which the running ones were not idle. */
  figures(): { readonly threads: number; readonly started: number; readonly activeSeconds: number } {
    const { threads } = this.#piscina
    const active = threads.reduce(
      (sum, { performance }) => sum + performance.eventLoopUtilization().active,
      0,
    )
    return { threads: threads.length, started: this.#started, activeSeconds: active / 1000 }
  }

  async run(requests: readonly PoolRequest[], end?: AbortSignal): Promise<readonly PoolAnswer[]> {
    const batch = encodeRequests(requests)
    const task: PoolTask = { batch }
    const options = { transferList: [batch.buffer], ...(end === undefined ? {} : { signal: end }) }
    const answers: Uint8Array = await this.#piscina.run(task, options)
    return decodeAnswers(answers)
  }

  async close(): Promise<void> {
    await this.#piscina.destroy()
  }
}
