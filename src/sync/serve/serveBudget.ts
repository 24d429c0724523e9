/** Limits of the cost of responses. */
export interface ServeLimits {
  /** Bytes of responses per second: per peer, and in total. */
  readonly peerBytes: number
  readonly totalBytes: number
  /** Milliseconds of this thread per second: per peer, and in total. */
  readonly peerTime: number
  readonly totalTime: number
  /** Most waiting requests per peer; further ones are dropped. */
  readonly waiting: number
}

const MIB = 1024 * 1024

/**
 * Limits of a node on a network: a peer that fetches ranges is limited by its own import before it reaches
 * these.
 */
export const DEFAULT_SERVE_LIMITS: ServeLimits = {
  peerBytes: 32 * MIB,
  totalBytes: 64 * MIB,
  peerTime: 250,
  totalTime: 500,
  waiting: 64,
}

const SECOND = 1000

/**
 * A token bucket with the capacity of one second. It may be overdrawn once, and must then be refilled before
 * the next use.
 */
class Allowance {
  readonly #perSecond: number
  #left: number
  #at: number

  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond
    this.#left = perSecond
    this.#at = now
  }

  /** Milliseconds until it is positive again. */
  delay(now: number): number {
    this.#refill(now)
    return this.#left > 0 ? 0 : Math.ceil(((1 - this.#left) * SECOND) / this.#perSecond)
  }

  take(amount: number, now: number): void {
    this.#refill(now)
    this.#left -= amount
  }

  isFull(now: number): boolean {
    this.#refill(now)
    return this.#left >= this.#perSecond
  }

  #refill(now: number): void {
    const earned = ((now - this.#at) / SECOND) * this.#perSecond
    this.#left = Math.min(this.#perSecond, this.#left + Math.max(0, earned))
    this.#at = now
  }
}

/** Cost of one response: bytes, and milliseconds of this thread. */
export interface ServeCost {
  readonly bytes: number
  readonly time: number
}

/** Bandwidth and processor time of responses, per peer and in total. */
export class ServeBudget {
  readonly #limits: ServeLimits
  readonly #total: readonly [Allowance, Allowance]
  readonly #peers = new Map<string, readonly [Allowance, Allowance]>()

  constructor(limits: ServeLimits, now: number) {
    this.#limits = limits
    this.#total = [new Allowance(limits.totalBytes, now), new Allowance(limits.totalTime, now)]
  }

  /** Peers with recent usage. */
  get size(): number {
    return this.#peers.size
  }

  /**
   * Milliseconds until the next response to a peer may be sent. @param peer its id @param now steady clock
   */
  delay(peer: string, now: number): number {
    const own = this.#peers.get(peer) ?? []
    return Math.max(...[...this.#total, ...own].map((allowance) => allowance.delay(now)))
  }

  /** Charges the cost of a response to a peer. */
  spend(peer: string, { bytes, time }: ServeCost, now: number): void {
    const own = this.#peers.get(peer) ?? this.#open(peer, now)
    for (const [ofBytes, ofTime] of [this.#total, own]) {
      ofBytes.take(bytes, now)
      ofTime.take(time, now)
    }
  }

  /** Removes a disconnected peer without debt: one that reconnects at once keeps its debt. */
  tidy(isConnected: (peer: string) => boolean, now: number): void {
    for (const [peer, allowances] of this.#peers) {
      if (!isConnected(peer) && allowances.every((allowance) => allowance.isFull(now)))
        this.#peers.delete(peer)
    }
  }

  #open(peer: string, now: number): readonly [Allowance, Allowance] {
    const { peerBytes, peerTime } = this.#limits
    const own = [new Allowance(peerBytes, now), new Allowance(peerTime, now)] as const
    this.#peers.set(peer, own)
    return own
  }
}
