/** Bytes of one place. A page of logs ends with a block, whose logs may be 2 MiB of text. */
const PLACE_BYTES = 4 * 1024 * 1024
/** Of the batches at one worker: while the answers of one are sent it has the next. */
const PLACES_PER_WORKER = 2

/** A batch has no place: its answers come in memory of their own. */
export const NO_PLACE = -1

/**
 * Memory in which workers write answers and the front thread reads them. Fresh memory for each answer has V8 collect
 * the garbage of the whole front thread again and again as soon as answers are large, with several threads; here it is
 * always the same. The front thread alone says which place is whose.
 */
export class OutputBuffer {
  /** For the workers. */
  readonly places: readonly SharedArrayBuffer[]
  readonly #views: readonly Buffer[]
  readonly #free: number[]

  /** @param workers that write at the same time */
  constructor(workers: number) {
    this.places = Array.from(
      { length: workers * PLACES_PER_WORKER },
      () => new SharedArrayBuffer(PLACE_BYTES),
    )
    this.#views = this.places.map((place) => Buffer.from(place))
    this.#free = this.places.map((_, index) => index)
  }

  /** A place for the answers of a batch; {@link NO_PLACE} when all are taken. */
  take(): number {
    return this.#free.pop() ?? NO_PLACE
  }

  /** The bytes that a worker wrote to a place. */
  read(place: number, bytes: number): Buffer {
    const view = this.#views[place]
    if (view === undefined) throw new Error(`no place ${place}`)
    return view.subarray(0, bytes)
  }

  /** Gives a place back, which neither the worker nor anyone here uses any more. */
  leave(place: number): void {
    if (place !== NO_PLACE) this.#free.push(place)
  }
}
