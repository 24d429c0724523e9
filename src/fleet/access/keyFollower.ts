import type { KV, KvWatchEntry } from '@nats-io/kv'
import type { KeyRecord } from '../../storage/access/keyRecord.ts'
import { decodeKeyValue, idOfBucketName, KEY_VALUE_BYTES } from './keyValue.ts'

/** Most bytes of all records together; a bucket with more is not followed. */
const MOST_BYTES = 128 * 1024 * 1024

/** Milliseconds before a watch that failed is tried again. */
const RETRY = 500

/** What follows the bucket of keys. */
export interface KeyFollowerOptions {
  readonly bucket: Pick<KV, 'watch'>
  /** Last sequence of the stream of the bucket, as the leader of that stream has it. */
  readonly lastSequence: () => Promise<number>
  /** Milliseconds of the boot clock. */
  readonly now: () => number
  /** Milliseconds for which a comparison with the leader of the stream counts: the lease. */
  readonly lease: number
  /** Takes keys over. @param isWhole whether these are all */
  readonly onKeys: (keys: readonly KeyRecord[], isWhole: boolean) => void
  readonly onFailure: (error: unknown) => void
  /** A record that does not parse was left out, or its key disabled. */
  readonly onUnreadable: (name: string) => void
}

/**
 * Watches the bucket of keys and compares twice a lease with the leader of its stream whether anything is missing: a
 * watch may be fed by a replica that is behind, or by none. After a reconnection the bucket is read whole before its
 * keys count (fleet.md §7).
 */
export class KeyFollower {
  readonly #options: KeyFollowerOptions
  readonly #timer: NodeJS.Timeout
  /** Records of the watch that runs, by id, with their bytes. */
  #records = new Map<string, { readonly key: KeyRecord; readonly bytes: number }>()
  #bytes = 0
  /** Last sequence that the watch has given. */
  #seen = 0
  /** Sequence that the watch must reach before its records are all; null while it is not known. */
  #target: number | null = null
  #isWhole = false
  #wasBehind = false
  #comparedAt = Number.NEGATIVE_INFINITY
  #entries: Awaited<ReturnType<KV['watch']>> | null = null
  #generation = 0
  /** Changes that are to be taken over. */
  #pending: KeyRecord[] = []
  #isStopped = false

  constructor(options: KeyFollowerOptions) {
    this.#options = options
    this.#timer = setInterval(() => void this.#compare(), options.lease / 2)
    this.#timer.unref()
  }

  /** Whether keys are what the bucket had within the time of a lease. */
  get isCurrent(): boolean {
    return this.#isWhole && this.#options.now() - this.#comparedAt <= this.#options.lease
  }

  /** Keys that are followed. */
  get size(): number {
    return this.#records.size
  }

  /** Reads the bucket whole, and goes on with what changes: at the start and after a reconnection. */
  restart(): void {
    this.#generation += 1
    this.#isWhole = false
    this.#wasBehind = false
    this.#target = null
    this.#seen = 0
    this.#records = new Map()
    this.#bytes = 0
    this.#pending = []
    this.#entries?.stop()
    this.#entries = null
    if (!this.#isStopped) void this.#follow(this.#generation)
  }

  stop(): void {
    this.#isStopped = true
    clearInterval(this.#timer)
    this.restart()
  }

  async #follow(generation: number): Promise<void> {
    try {
      const entries = await this.#options.bucket.watch({ key: '>' })
      if (generation !== this.#generation) {
        entries.stop()
        return
      }
      this.#entries = entries
      void this.#compare()
      for await (const entry of entries) {
        if (generation !== this.#generation) return
        this.#take(entry)
      }
    } catch (error) {
      this.#options.onFailure(error)
    }
    if (generation !== this.#generation) return
    await new Promise((resolve) => setTimeout(resolve, RETRY).unref())
    if (generation === this.#generation) this.restart()
  }

  #take(entry: KvWatchEntry): void {
    this.#seen = Math.max(this.#seen, entry.revision)
    const key = this.#keyOf(entry)
    if (key !== null) this.#keep(key, entry.value.length)
    if (!this.#isWhole) this.#completeWhenAll()
    else if (key !== null) this.#changed(key)
  }

  /** What comes at once is taken over at once: each time is a write to disk. */
  #changed(key: KeyRecord): void {
    this.#pending.push(key)
    if (this.#pending.length > 1) return
    const generation = this.#generation
    setImmediate(() => {
      const keys = this.#pending
      this.#pending = []
      if (generation === this.#generation) this.#give(keys, false)
    })
  }

  /** What cannot be taken over is read again: until then the keys are not what the bucket has. */
  #give(keys: readonly KeyRecord[], isWhole: boolean): void {
    try {
      this.#options.onKeys(keys, isWhole)
      if (isWhole) this.#isWhole = true
    } catch (error) {
      this.#options.onFailure(error)
      this.#isWhole = false
      this.#entries?.stop()
    }
  }

  /** The key that an entry makes valid, or disables: what was deleted, and what this program cannot read. */
  #keyOf(entry: KvWatchEntry): KeyRecord | null {
    const id = idOfBucketName(entry.key)
    if (id === null) {
      this.#options.onUnreadable(entry.key)
      return null
    }
    const isPut = entry.operation === 'PUT'
    const key = isPut && entry.value.length <= KEY_VALUE_BYTES ? decodeKeyValue(id, entry.value) : null
    if (key !== null) return key
    if (isPut) this.#options.onUnreadable(entry.key)
    const before = this.#records.get(id)?.key
    return before === undefined ? null : { ...before, disabled: true }
  }

  #keep(key: KeyRecord, bytes: number): void {
    this.#bytes += bytes - (this.#records.get(key.id)?.bytes ?? 0)
    if (this.#bytes > MOST_BYTES) throw new RangeError('the keys of the fleet take too much memory')
    this.#records.set(key.id, { key, bytes })
  }

  #completeWhenAll(): void {
    if (this.#isWhole || this.#target === null || this.#seen < this.#target) return
    this.#give(
      [...this.#records.values()].map(({ key }) => key),
      true,
    )
  }

  /** Compares what was seen with what the leader of the stream has. */
  async #compare(): Promise<void> {
    const generation = this.#generation
    if (this.#entries === null) return
    const askedAt = this.#options.now()
    let last: number
    try {
      last = await this.#options.lastSequence()
    } catch (error) {
      this.#options.onFailure(error)
      return
    }
    if (generation !== this.#generation) return
    this.#target = Math.max(this.#target ?? 0, last)
    this.#completeWhenAll()
    if (this.#isWhole && this.#seen >= last) {
      this.#comparedAt = askedAt
      this.#wasBehind = false
    } else if (this.#wasBehind) this.restart()
    else this.#wasBehind = true
  }
}
