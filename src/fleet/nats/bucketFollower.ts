import type { KV, KvWatchEntry } from '@nats-io/kv'
import { everyAligned } from '../alignedTimer.ts'
import { delay } from '../delay.ts'

/** Milliseconds between two comparisons with the leader of the stream. */
const COMPARE_PERIOD = 5000
/** Milliseconds before a failed attempt is repeated. */
const RETRY_PAUSE = 2000

export interface BucketFollowerOptions {
  /** @throws FleetError `NotCreated` before `fleet init` */
  open(): Promise<KV>
  /** The bucket is another one than before: it was lost and made anew. */
  onReplaced(): void
  /** In the order of revisions; after a new beginning some come again. */
  onEntry(entry: KvWatchEntry): void
  /** All that the bucket had when it was opened has come. */
  onWhole(bucket: KV): void
  onFailure(error: unknown): void
}

/**
 * Follows all records of a bucket for as long as it is wanted, whatever happens to servers. What feeds a watch may be gone
 * with its server, which the client notices after ten seconds: so the last revision is compared with that of the leader.
 */
export class BucketFollower {
  readonly #options: BucketFollowerOptions
  readonly #endComparing: () => void
  #bucket: KV | null = null
  #entries: Awaited<ReturnType<KV['watch']>> | null = null
  #seen = 0
  #created = ''
  #wasBehind = false
  #isWhole = false
  #isStopped = false
  #wake: () => void = () => undefined

  constructor(options: BucketFollowerOptions) {
    this.#options = options
    this.#endComparing = everyAligned(COMPARE_PERIOD, () => void this.#compare())
    void this.#run()
  }

  /** The bucket, once all of it has come; null while that is not so. */
  get whole(): KV | null {
    return this.#isWhole ? this.#bucket : null
  }

  /** Reads all anew: after a reconnection there may be a gap. */
  restart(): void {
    this.#isWhole = false
    this.#entries?.stop()
    this.#wake()
  }

  stop(): void {
    this.#isStopped = true
    this.#endComparing()
    this.restart()
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#follow()
      } catch (error) {
        if (this.#isStopped) return
        this.#options.onFailure(error)
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        await Promise.race([delay(RETRY_PAUSE), woken])
      }
    }
  }

  async #follow(): Promise<void> {
    this.#isWhole = false
    this.#wasBehind = false
    const bucket = await this.#options.open()
    const { state, created } = (await bucket.status()).streamInfo
    const entries = await bucket.watch({ key: '>' })
    this.#bucket = bucket
    this.#entries = entries
    if (this.#isStopped) entries.stop()
    // The last revision may be one that was removed.
    const complete = () => {
      this.#seen = Math.max(this.#seen, state.last_seq)
      this.#isWhole = true
      this.#options.onWhole(bucket)
    }
    this.#seen = 0
    if (this.#created !== '' && created !== this.#created) this.#options.onReplaced()
    this.#created = created
    if (state.messages === 0) complete()
    for await (const entry of entries) {
      if (this.#entries !== entries) return
      this.#seen = Math.max(this.#seen, entry.revision)
      this.#options.onEntry(entry)
      if (!this.#isWhole && entry.delta === 0) complete()
    }
  }

  async #compare(): Promise<void> {
    const bucket = this.#bucket
    if (bucket === null || !this.#isWhole) return
    try {
      const { state, created } = (await bucket.status()).streamInfo
      const isBehind = state.last_seq > this.#seen
      if (created !== this.#created || (isBehind && this.#wasBehind)) this.restart()
      else this.#wasBehind = isBehind
    } catch (error) {
      if (!this.#isStopped) this.#options.onFailure(error)
    }
  }
}
