import type { MethodDefinition } from '../rpc/defineMethod.ts'

/** Upper bounds of the time from a request to its answer, seconds. */
export const REQUEST_BUCKETS: readonly number[] = [
  0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
]

const BUCKET_MILLISECONDS = REQUEST_BUCKETS.map((seconds) => seconds * 1000)
const COLUMNS = REQUEST_BUCKETS.length + 1

/** Of requests that are answered in microseconds one in so many is timed, and counts for all of them. */
const SAMPLING = 16

/** Stands for names that are no method: they are the clients', so any number of them. */
export const UNKNOWN_METHOD = 'unknown'

/** Figures of the requests for one method. */
export interface MethodStats {
  readonly method: string
  readonly requests: number
  /** Answered from cached responses of the same head. */
  readonly fromCache: number
  /** Answered by the native core in the front thread. */
  readonly inFront: number
  /** Observations per bucket, then those above the last bound. */
  readonly counts: Float64Array
  /** Seconds of all observations. */
  readonly seconds: number
}

/** Requests for a method that failed with one code. */
export interface ErrorStats {
  readonly method: string
  readonly code: number
  readonly count: number
}

/**
 * Counts requests by method. Every count is an addition to an array: what it costs is a part of a per cent of the
 * quickest answer. Reading a clock costs more than that, so the quickest are timed by samples.
 */
export class RequestMetrics {
  readonly #methods: readonly string[]
  readonly #requests: Float64Array
  readonly #fromCache: Float64Array
  readonly #inFront: Float64Array
  readonly #counts: Float64Array
  readonly #milliseconds: Float64Array
  /** By index of the method and code. */
  readonly #errors = new Map<string, ErrorStats & { count: number }>()
  #turn = 0
  /** Requests whose client went away before the answer. */
  abandoned = 0

  constructor(methods: readonly Pick<MethodDefinition, 'name'>[]) {
    this.#methods = [...methods.map(({ name }) => name), UNKNOWN_METHOD]
    const rows = this.#methods.length
    this.#requests = new Float64Array(rows)
    this.#fromCache = new Float64Array(rows)
    this.#inFront = new Float64Array(rows)
    this.#counts = new Float64Array(rows * COLUMNS)
    this.#milliseconds = new Float64Array(rows)
  }

  /** The index of names that are no method. */
  get unknown(): number {
    return this.#methods.length - 1
  }

  /** The time now if the next quick request is to be timed, else 0. */
  sample(): number {
    this.#turn += 1
    return this.#turn % SAMPLING === 0 ? performance.now() : 0
  }

  /**
   * Counts answers of the native core in the front thread.
   * @param started of {@link sample}
   * @param requests of a batch that are counted together
   */
  answeredInFront(method: number, started: number, requests: number): void {
    this.#inFront[method] = (this.#inFront[method] ?? 0) + requests
    this.#addQuick(method, started, requests)
  }

  /** Counts cached answers. Parameters as of {@link answeredInFront}. */
  answeredFromCache(method: number, started: number, requests: number): void {
    this.#fromCache[method] = (this.#fromCache[method] ?? 0) + requests
    this.#addQuick(method, started, requests)
  }

  /** Counts any other answer. @param elapsed milliseconds */
  answered(method: number, elapsed: number): void {
    this.#requests[method] = (this.#requests[method] ?? 0) + 1
    this.#observe(method, elapsed, 1)
  }

  /** Counts an error; it is counted as an answer, too. */
  failed(method: number, code: number): void {
    const key = `${method} ${code}`
    const known = this.#errors.get(key)
    if (known !== undefined) known.count += 1
    else this.#errors.set(key, { method: this.#methods[method] ?? UNKNOWN_METHOD, code, count: 1 })
  }

  /** Figures of every method that was asked for. */
  stats(): MethodStats[] {
    return this.#methods.flatMap((method, index) => {
      const requests = this.#requests[index] ?? 0
      if (requests === 0) return []
      return {
        method,
        requests,
        fromCache: this.#fromCache[index] ?? 0,
        inFront: this.#inFront[index] ?? 0,
        counts: this.#counts.slice(index * COLUMNS, (index + 1) * COLUMNS),
        seconds: (this.#milliseconds[index] ?? 0) / 1000,
      }
    })
  }

  /** Figures of every pair of method and code that there was. */
  errors(): ErrorStats[] {
    return [...this.#errors.values()]
  }

  #addQuick(method: number, started: number, requests: number): void {
    this.#requests[method] = (this.#requests[method] ?? 0) + requests
    if (started !== 0) this.#observe(method, performance.now() - started, SAMPLING * requests)
  }

  #observe(method: number, elapsed: number, weight: number): void {
    let column = 0
    while (column < BUCKET_MILLISECONDS.length && elapsed > (BUCKET_MILLISECONDS[column] ?? 0)) column += 1
    const cell = method * COLUMNS + column
    this.#counts[cell] = (this.#counts[cell] ?? 0) + weight
    this.#milliseconds[method] = (this.#milliseconds[method] ?? 0) + elapsed * weight
  }
}
