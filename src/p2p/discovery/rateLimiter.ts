/** A rate per second, and a burst after a pause. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

interface Bucket {
  tokens: number
  at: number
}

/** A rate limit shared by all callers. Times are milliseconds of the monotonic clock. */
export class RateLimiter {
  readonly #rate: Rate
  readonly #bucket: Bucket

  constructor(rate: Rate, now: number) {
    this.#rate = rate
    this.#bucket = { tokens: rate.burst, at: now }
  }

  /** @returns whether it is allowed now */
  take(now: number): boolean {
    return take(this.#bucket, this.#rate, now)
  }
}

/** A rate limit per key, for recently used keys. */
export class KeyedRateLimiter {
  readonly #rate: Rate
  readonly #most: number
  /** Longest idle first. */
  readonly #buckets = new Map<string, Bucket>()

  /** @param most tracked keys */
  constructor(rate: Rate, most: number) {
    this.#rate = rate
    this.#most = most
  }

  get size(): number {
    return this.#buckets.size
  }

  take(key: string, now: number): boolean {
    const bucket = this.#buckets.get(key) ?? { tokens: this.#rate.burst, at: now }
    this.#buckets.delete(key)
    if (this.#buckets.size >= this.#most) this.#buckets.delete(this.#buckets.keys().next().value ?? '')
    this.#buckets.set(key, bucket)
    return take(bucket, this.#rate, now)
  }
}

function take(bucket: Bucket, { perSecond, burst }: Rate, now: number): boolean {
  bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perSecond) / 1000)
  bucket.at = now
  if (bucket.tokens < 1) return false
  bucket.tokens -= 1
  return true
}
