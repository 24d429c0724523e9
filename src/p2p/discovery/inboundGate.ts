import { sourceOf } from './addressBlock.ts'
import { KeyedRateLimiter, type Rate, RateLimiter } from './rateLimiter.ts'

/** Rate of packets per source. A node sends another one a few per minute. */
const SOURCE_RATE: Rate = { perSecond: 20, burst: 60 }
/** Most tracked sources. */
const MAX_SOURCES = 4096
/**
 * Rates of packets from addresses that responded before, whose signature is only verified, and of all others,
 * whose signer has to be recovered, which takes a millisecond or two. Responses are exempt, because nobody
 * can guess the check of a request.
 */
const KNOWN_RATE: Rate = { perSecond: 200, burst: 400 }
const STRANGER_RATE: Rate = { perSecond: 20, burst: 60 }

/** Bounds the cost of unsolicited packets. Times are milliseconds of the monotonic clock. */
export class InboundGate {
  readonly #sources = new KeyedRateLimiter(SOURCE_RATE, MAX_SOURCES)
  readonly #known: RateLimiter
  readonly #strangers: RateLimiter

  constructor(now: number) {
    this.#known = new RateLimiter(KNOWN_RATE, now)
    this.#strangers = new RateLimiter(STRANGER_RATE, now)
  }

  /** True when a packet of that source is processed. */
  admits(address: string, port: number, now: number): boolean {
    return this.#sources.take(sourceOf(address, port), now)
  }

  /** True when the signer of a packet may be recovered. @param known whether its address responded before */
  mayCost(known: boolean, now: number): boolean {
    return (known ? this.#known : this.#strangers).take(now)
  }
}
