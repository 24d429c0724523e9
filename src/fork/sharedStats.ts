/** The counts of an upstream, in the order of the memory. */
const COUNTED = ['requests', 'bytes', 'retries', 'kept', 'reorganised'] as const

/** The name of a count of an upstream. */
export type Counted = (typeof COUNTED)[number]

/** Counts of requests to an upstream that all threads add to. */
export class SharedStats {
  readonly buffer: SharedArrayBuffer
  readonly #counts: BigInt64Array

  /** @param buffer of another thread's object; memory of its own unless given */
  constructor(
    buffer: SharedArrayBuffer = new SharedArrayBuffer(COUNTED.length * BigInt64Array.BYTES_PER_ELEMENT),
  ) {
    this.buffer = buffer
    this.#counts = new BigInt64Array(buffer)
  }

  add(what: Counted, count: number): void {
    Atomics.add(this.#counts, COUNTED.indexOf(what), BigInt(count))
  }

  get(what: Counted): number {
    return Number(Atomics.load(this.#counts, COUNTED.indexOf(what)))
  }
}
