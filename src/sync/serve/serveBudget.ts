/** What answers may cost. */
export interface ServeLimits {
  /** Bytes of answers a second: to one peer, and to all. */
  readonly peerBytes: number
  readonly totalBytes: number
  /** Milliseconds of this thread a second: for one peer, and for all. */
  readonly peerTime: number
  readonly totalTime: number
  /** Questions of one peer that wait; further ones are not answered. */
  readonly waiting: number
}

const MIB = 1024 * 1024

/** Limits of a node on a network: a peer that fetches ranges is held up by its own import before these are reached. */
export const DEFAULT_SERVE_LIMITS: ServeLimits = {
  peerBytes: 32 * MIB,
  totalBytes: 64 * MIB,
  peerTime: 250,
  totalTime: 500,
  waiting: 64,
}

const SECOND = 1000

/** An allowance that refills evenly up to that of one second. It may be overdrawn once; then nothing goes until it is paid back. */
class Allowance {
  readonly #perSecond: number
  #left: number
  #at: number

  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond
    this.#left = perSecond
    this.#at = now
  }

  /** Milliseconds until something may be taken. */
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

/** What one answer cost: bytes, and milliseconds of this thread. */
export interface ServeCost {
  readonly bytes: number
  readonly time: number
}

/** Bytes and processor time that answers take, of each peer and of all. */
export class ServeBudget {
  readonly #limits: ServeLimits
  readonly #total: readonly [Allowance, Allowance]
  readonly #peers = new Map<string, readonly [Allowance, Allowance]>()

  constructor(limits: ServeLimits, now: number) {
    this.#limits = limits
    this.#total = [new Allowance(limits.totalBytes, now), new Allowance(limits.totalTime, now)]
  }

  /** Peers that used some of it lately. */
  get size(): number {
    return this.#peers.size
  }

  /** Milliseconds until the next answer to a peer may be made. @param peer its id @param now steady clock */
  delay(peer: string, now: number): number {
    const own = this.#peers.get(peer) ?? []
    return Math.max(...[...this.#total, ...own].map((allowance) => allowance.delay(now)))
  }

  /** Notes what an answer to a peer has cost. */
  spend(peer: string, { bytes, time }: ServeCost, now: number): void {
    const own = this.#peers.get(peer) ?? this.#open(peer, now)
    for (const [ofBytes, ofTime] of [this.#total, own]) {
      ofBytes.take(bytes, now)
      ofTime.take(time, now)
    }
  }

  /** Forgets a peer that left and owes nothing: one that comes back at once finds what it used used. */
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
