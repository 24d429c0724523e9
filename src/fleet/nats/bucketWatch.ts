import type { KV, KvWatchEntry } from '@nats-io/kv'

export interface BucketWatchOptions {
  readonly bucket: Pick<KV, 'watch'>
  /** A key, or keys with wildcards. */
  readonly key: string
  /**
   * Milliseconds without any entry after which it begins again, from the last value of each key: the consumer that
   * feeds it is gone with its server, which the client notices after ten seconds only. Watchers of leases hear their
   * own renewals.
   */
  readonly silence: number
  /** Milliseconds of the boot clock. */
  readonly clock: () => number
  /** Called in the order of revisions; after a new beginning with revisions that were there before. */
  readonly onEntry: (entry: KvWatchEntry) => void
  /** The bucket cannot be watched now; it is tried again. */
  readonly onError: (error: unknown) => void
}

/** Watches keys of a bucket for as long as it is wanted, whatever happens to servers and connection. */
export class BucketWatch {
  readonly #options: BucketWatchOptions
  readonly #tick: NodeJS.Timeout
  #stopped = false
  #heard: number
  #end: (() => void) | null = null
  #wake: (() => void) | null = null
  readonly #running: Promise<void>

  constructor(options: BucketWatchOptions) {
    this.#options = options
    this.#heard = options.clock()
    this.#tick = setInterval(() => this.#check(), options.silence / 2)
    this.#tick.unref()
    this.#running = this.#run()
  }

  /** Begins again at once: after a reconnection there may be a gap. */
  restart(): void {
    this.#end?.()
    this.#wake?.()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#tick)
    this.restart()
    await this.#running
  }

  #check(): void {
    const { clock, silence } = this.#options
    if (this.#end !== null && clock() - this.#heard > silence) this.#end()
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#watch()
      } catch (error) {
        if (this.#stopped) return
        this.#options.onError(error)
        await this.#pause()
      }
    }
  }

  async #watch(): Promise<void> {
    const { bucket, key, clock, onEntry } = this.#options
    const entries = await bucket.watch({ key })
    this.#heard = clock()
    this.#end = () => entries.stop()
    try {
      if (this.#stopped) return
      for await (const entry of entries) {
        this.#heard = clock()
        onEntry(entry)
      }
    } finally {
      entries.stop()
      this.#end = null
    }
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#options.silence / 4)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = null
  }
}
