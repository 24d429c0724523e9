import { isIPv6 } from 'node:net'
import { scopeOf } from './addressBlock.ts'
import { KeyedRateLimiter, type Rate, RateLimiter } from './rateLimiter.ts'

/** Packets of one source. A node sends another one a few a minute. */
const SOURCE_RATE: Rate = { perSecond: 20, burst: 60 }
/** Sources that are remembered. */
const MOST_SOURCES = 4096
/**
 * Packets from places that answered before, of which it is checked that they are of the nodes there, and of all
 * others, whose sender has to be found out, which takes a millisecond or two. Answers are in neither, for nobody
 * guesses the check of a question.
 */
const KNOWN_RATE: Rate = { perSecond: 200, burst: 400 }
const STRANGER_RATE: Rate = { perSecond: 20, burst: 60 }

/** Bytes of an IPv6 address that one customer has: the first 64 bits. */
const CUSTOMER_GROUPS = 4

/** Bounds what packets cost that nobody asked for. Times are milliseconds of the steady clock. */
export class InboundGate {
  readonly #sources = new KeyedRateLimiter(SOURCE_RATE, MOST_SOURCES)
  readonly #known: RateLimiter
  readonly #strangers: RateLimiter

  constructor(now: number) {
    this.#known = new RateLimiter(KNOWN_RATE, now)
    this.#strangers = new RateLimiter(STRANGER_RATE, now)
  }

  /** Whether a packet of that source is looked at. */
  admits(address: string, port: number, now: number): boolean {
    return this.#sources.take(sourceOf(address, port), now)
  }

  /** Whether a packet may take the time that finding its sender takes. @param known whether its place answered before */
  mayCost(known: boolean, now: number): boolean {
    return (known ? this.#known : this.#strangers).take(now)
  }
}

/** All nodes of a machine have one address of loopback, so that ports count there. */
function sourceOf(address: string, port: number): string {
  if (scopeOf(address) === 'loopback') return `${address} ${port}`
  return isIPv6(address) ? expandedGroups(address).slice(0, CUSTOMER_GROUPS).join(':') : address
}

function expandedGroups(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  return tail === undefined
    ? left
    : [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right]
}
