import type { LogCriteria } from '../../../src/chain/logs/logCriteria.ts'
import type { LogCursor } from './logCursor.ts'
import { LogMatcher } from './logMatcher.ts'

interface Entry<T> {
  readonly subscriber: T
  readonly matcher: LogMatcher
}

/** Subscribers by the first thing that their logs must have. */
type Bucket<T> = Map<string, Map<T, Entry<T>>>

/**
 * Finds the subscribers of a log without asking each: those that name addresses stand under their addresses,
 * others under the topics of the first position that names any, the rest is asked for every log.
 */
export class LogSubscribers<T> {
  readonly #byAddress: Bucket<T> = new Map()
  readonly #byTopic: readonly Bucket<T>[] = [new Map(), new Map(), new Map(), new Map()]
  readonly #others = new Map<T, Entry<T>>()
  readonly #criteria = new Map<T, LogCriteria>()

  get size(): number {
    return this.#criteria.size
  }

  add(subscriber: T, criteria: LogCriteria): void {
    const entry = { subscriber, matcher: new LogMatcher(criteria) }
    this.#criteria.set(subscriber, criteria)
    const place = this.#bucketOf(criteria)
    if (place === null) {
      this.#others.set(subscriber, entry)
      return
    }
    for (const key of place.keys) {
      const known = place.bucket.get(key)
      if (known === undefined) place.bucket.set(key, new Map([[subscriber, entry]]))
      else known.set(subscriber, entry)
    }
  }

  remove(subscriber: T): void {
    const criteria = this.#criteria.get(subscriber)
    if (criteria === undefined) return
    this.#criteria.delete(subscriber)
    this.#others.delete(subscriber)
    const place = this.#bucketOf(criteria)
    for (const key of place?.keys ?? []) {
      const entries = place?.bucket.get(key)
      entries?.delete(subscriber)
      if (entries?.size === 0) place?.bucket.delete(key)
    }
  }

  /** Calls back with each subscriber that the log at hand matches. */
  forEachMatch(log: LogCursor, found: (subscriber: T) => void): void {
    const tell = (entries: ReadonlyMap<T, Entry<T>> | undefined) => {
      if (entries === undefined) return
      for (const { subscriber, matcher } of entries.values()) if (matcher.matches(log)) found(subscriber)
    }
    const { receipts } = log
    if (this.#byAddress.size > 0) {
      tell(this.#byAddress.get(receipts.toString('latin1', log.addressStart, log.addressEnd)))
    }
    for (let position = 0; position < log.topicCount; position += 1) {
      const bucket = this.#byTopic[position]
      if (bucket === undefined || bucket.size === 0) continue
      tell(bucket.get(receipts.toString('latin1', log.topicStarts[position], log.topicEnds[position])))
    }
    tell(this.#others)
  }

  #bucketOf({ addresses, topics }: LogCriteria): { bucket: Bucket<T>; keys: ReadonlySet<string> } | null {
    const keysOf = (alternatives: readonly Buffer[]) =>
      new Set(alternatives.map((bytes) => bytes.toString('latin1')))
    if (addresses.length > 0) return { bucket: this.#byAddress, keys: keysOf(addresses) }
    const position = topics.findIndex((alternatives) => alternatives.length > 0)
    const bucket = this.#byTopic[position]
    return bucket === undefined ? null : { bucket, keys: keysOf(topics[position] ?? []) }
  }
}
