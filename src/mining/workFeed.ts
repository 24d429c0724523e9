import type { MiningWork } from './interface.ts'

/** Parts of a feed. */
export interface WorkFeedParams {
  /** Requests work from the chain thread, which counts as interest in work. */
  readonly ask: () => Promise<MiningWork>
  /** Maximum age of work that is handed out without a request for newer work, milliseconds. */
  readonly freshTime: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Interval of requests that keep the chain thread building work with every block, milliseconds. */
const INTEREST_PERIOD = 60_000

/**
 * The current work in the front thread: requests for work need no round trip to the chain thread and do not
 * wait for its other work.
 */
export class WorkFeed {
  readonly #params: WorkFeedParams
  #current: MiningWork | null = null
  #receivedAt = 0
  #askedAt = Number.NEGATIVE_INFINITY
  /** True when the next reader is the first one, which should notify its miners. */
  #notify = false

  constructor(params: WorkFeedParams) {
    this.#params = params
  }

  /**
   * Call it with every new work item. An item that nobody has read is replaced by the next one on the same
   * parent, and its notification is kept. Items that arrive out of order are dropped.
   */
  push(work: MiningWork): void {
    const current = this.#current
    if (current !== null && work.serial < current.serial) return
    this.#receivedAt = this.#params.now()
    if (work.serial === current?.serial) return
    this.#notify = work.notify || (this.#notify && current?.parentHash.equals(work.parentHash) === true)
    this.#current = work
  }

  /**
   * Call it when the head or its state changed, after {@link push} of the work on it; `hash` is that of the
   * new head, or null when only its state changed.
   */
  headChanged(hash: Buffer | null): void {
    const isOnHead = hash !== null && this.#current?.parentHash.equals(hash) === true
    if (!isOnHead) this.doubt()
  }

  /** To be called when the next block would be another one: the next reader requests work from the chain thread. */
  doubt(): void {
    this.#receivedAt = Number.NEGATIVE_INFINITY
  }

  /** The current work. Its `notify` is true for the first reader only (mining.md §2). */
  async read(): Promise<MiningWork> {
    const current = this.#current
    const now = this.#params.now()
    if (current === null || now - this.#receivedAt >= this.#params.freshTime) {
      await this.#ask()
    } else if (now - this.#askedAt >= INTEREST_PERIOD) {
      // The present reader does not wait for it, and a failure shows when the work is no longer fresh.
      this.#ask().catch(() => undefined)
    }
    return this.#take()
  }

  /** Keeps the chain thread building work although nobody reads it. */
  keepAwake(): void {
    if (this.#params.now() - this.#askedAt >= INTEREST_PERIOD) this.#ask().catch(() => undefined)
  }

  async #ask(): Promise<void> {
    const { ask, now } = this.#params
    this.#askedAt = now()
    // New work also arrives by itself, before this response.
    this.push(await ask())
  }

  #take(): MiningWork {
    if (this.#current === null) throw new Error('there is no work')
    const work = { ...this.#current, notify: this.#notify }
    this.#notify = false
    return work
  }
}
