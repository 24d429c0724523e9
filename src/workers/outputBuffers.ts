/** Bytes of one buffer. A page of logs ends with a block, whose logs may be 2 MiB of text. */
const BUFFER_BYTES = 4 * 1024 * 1024
/** Buffers for the batches at one worker: while the answers of one are sent it has the next. */
const BUFFERS_PER_WORKER = 2

/** The index for a batch without a buffer: its answers come in memory of their own. */
export const NO_BUFFER = -1

/**
 * Memory in which workers write answers and the front thread reads them. Fresh memory for each answer has V8 collect
 * the garbage of the whole front thread again and again as soon as answers are large, with several threads; here it is
 * always the same. The front thread alone says which buffer is whose.
 */
export class OutputBuffers {
  /** For the workers. */
  readonly buffers: readonly SharedArrayBuffer[]
  readonly #views: readonly Buffer[]
  readonly #free: number[]

  /** @param workers that write at the same time */
  constructor(workers: number) {
    this.buffers = Array.from(
      { length: workers * BUFFERS_PER_WORKER },
      () => new SharedArrayBuffer(BUFFER_BYTES),
    )
    this.#views = this.buffers.map((buffer) => Buffer.from(buffer))
    this.#free = this.buffers.map((_, index) => index)
  }

  /** The index of a buffer for the answers of a batch; {@link NO_BUFFER} when all are taken. */
  take(): number {
    return this.#free.pop() ?? NO_BUFFER
  }

  /** The bytes that a worker wrote to a buffer. */
  read(index: number, bytes: number): Buffer {
    const view = this.#views[index]
    if (view === undefined) throw new Error(`no buffer ${index}`)
    return view.subarray(0, bytes)
  }

  /** Gives a buffer back, which neither the worker nor anyone here uses any more. */
  leave(index: number): void {
    if (index !== NO_BUFFER) this.#free.push(index)
  }
}
