import type { MiningWork } from './interface.ts'

/** What a feed is made of. */
export interface WorkFeedParams {
  /** Asks the chain thread, which counts as interest in work. */
  readonly ask: () => Promise<MiningWork>
  /** Milliseconds for which work is handed out without asking for newer work. */
  readonly freshTime: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Milliseconds between two requests that keep the chain thread building work with every block. */
const INTEREST_PERIOD = 60_000

/**
 * The newest work as the front thread has it: requests for work cost no hop to the chain thread and do not wait
 * for what that does.
 */
export class WorkFeed {
  readonly #params: WorkFeedParams
  #current: MiningWork | null = null
  #receivedAt = 0
  #askedAt = Number.NEGATIVE_INFINITY
  /** Whether the next reader is the first that should tell its miners. */
  #notify = false

  constructor(params: WorkFeedParams) {
    this.#params = params
  }

  /**
   * To be called with every new work. What nobody has read is told with the next work on the same parent. Work
   * that others overtook on its way is dropped.
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
   * To be called when the head or its state changed, after {@link push} of the work on it; `hash` is that of the
   * new head, null when only its state changed.
   */
  headChanged(hash: Buffer | null): void {
    const isOnHead = hash !== null && this.#current?.parentHash.equals(hash) === true
    if (!isOnHead) this.doubt()
  }

  /** To be called when the next block would be another one: the next reader's work is asked for. */
  doubt(): void {
    this.#receivedAt = Number.NEGATIVE_INFINITY
  }

  /** The newest work. Its `notify` is true for the first reader only, whoever that is (mining.md §2). */
  async read(): Promise<MiningWork> {
    const current = this.#current
    const now = this.#params.now()
    if (current === null || now - this.#receivedAt >= this.#params.freshTime) {
      await this.#ask()
    } else if (now - this.#askedAt >= INTEREST_PERIOD) {
      // Whoever reads now does not wait for it, and a failure shows when the work is no longer fresh.
      this.#ask().catch(() => undefined)
    }
    return this.#take()
  }

  /** Keeps work coming although nobody reads it. */
  keepAwake(): void {
    if (this.#params.now() - this.#askedAt >= INTEREST_PERIOD) this.#ask().catch(() => undefined)
  }

  async #ask(): Promise<void> {
    const { ask, now } = this.#params
    this.#askedAt = now()
    // New work also comes by itself, before this answer.
    this.push(await ask())
  }

  #take(): MiningWork {
    if (this.#current === null) throw new Error('there is no work')
    const work = { ...this.#current, notify: this.#notify }
    this.#notify = false
    return work
  }
}
