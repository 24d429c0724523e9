import type { Peer } from '../../p2p/peer.ts'

/** Consecutive timeouts after which a peer is excluded for the rest of the branch. */
const MAX_FAILURES = 3

/** Longest wait for a free peer: the message limit of a minute is renewed without an event. */
const MAX_WAIT_MILLISECONDS = 500

/** Pause of a peer whose queue is full, milliseconds. */
const REST = 250

/** Kinds of requests that are counted separately. */
export type QuestionKind = 'headers' | 'bodies'

interface Supplier {
  readonly peer: Peer
  /** Height up to which its skeleton agrees with the branch. */
  upTo: number
  failures: number
  /** No request is sent before this time: its queue is full. */
  restsUntil: number
  readonly open: Record<QuestionKind, number>
}

/** The peers that have a branch, up to which height, and how busy they are. */
export class Suppliers {
  readonly #suppliers = new Map<Peer, Supplier>()
  readonly #excluded = new Set<Peer>()
  readonly #waiting = new Set<() => void>()
  readonly #reserve: number
  readonly #now: () => number
  readonly #onDropped: (peer: Peer) => void

  /**
   * @param reserve requests per minute and peer that bodies leave for headers, without which there are no
   *   bodies to request
   * @param now milliseconds, steady
   * @param onDropped called with a peer that timed out too often
   */
  constructor(reserve: number, now: () => number, onDropped: (peer: Peer) => void) {
    this.#reserve = reserve
    this.#now = now
    this.#onDropped = onDropped
  }

  get size(): number {
    return this.#suppliers.size
  }

  /** Peers that have the branch up to a height. */
  having(number: number): Peer[] {
    return [...this.#suppliers.values()].filter(({ upTo }) => upTo >= number).map(({ peer }) => peer)
  }

  /** Records that a peer has the branch up to a height; a removed peer stays excluded. */
  agree(peer: Peer, upTo: number): void {
    if (this.#excluded.has(peer)) return
    const known = this.#suppliers.get(peer)
    if (known === undefined) {
      this.#suppliers.set(peer, { peer, upTo, failures: 0, restsUntil: 0, open: { headers: 0, bodies: 0 } })
    } else known.upTo = Math.max(known.upTo, upTo)
    this.wake()
  }

  /** Discards agreement above a height, which has to be compared again. */
  limitTo(number: number): void {
    for (const supplier of this.#suppliers.values()) supplier.upTo = Math.min(supplier.upTo, number)
  }

  /** Excludes a peer for the rest of the branch. */
  remove(peer: Peer): void {
    this.#excluded.add(peer)
    if (this.#suppliers.delete(peer)) this.wake()
  }

  /** True when a peer has the branch up to a height and may get another request. */
  isFree(peer: Peer, kind: QuestionKind, most: number, upTo: number): boolean {
    const supplier = this.#suppliers.get(peer)
    if (supplier === undefined || supplier.upTo < upTo) return false
    const reserve = kind === 'bodies' ? this.#reserve : 0
    return supplier.open[kind] < most && peer.allowance > reserve && this.#now() >= supplier.restsUntil
  }

  /** Height up to which a peer has the branch; below every height when it is excluded. */
  heightOf(peer: Peer): number {
    return this.#suppliers.get(peer)?.upTo ?? Number.NEGATIVE_INFINITY
  }

  /** The least busy peer that has a height and is not among those tried; null when none is free. */
  pick(kind: QuestionKind, most: number, upTo: number, tried: ReadonlySet<Peer>): Peer | null {
    let best: Supplier | null = null
    for (const supplier of this.#suppliers.values()) {
      if (tried.has(supplier.peer) || !this.isFree(supplier.peer, kind, most, upTo)) continue
      if (best === null || supplier.open[kind] < best.open[kind]) best = supplier
    }
    return best?.peer ?? null
  }

  /** True when a peer that was not tried has a height, busy or not. */
  hasOther(upTo: number, tried: ReadonlySet<Peer>): boolean {
    return this.having(upTo).some((peer) => !tried.has(peer))
  }

  asked(peer: Peer, kind: QuestionKind): void {
    const supplier = this.#suppliers.get(peer)
    if (supplier !== undefined) supplier.open[kind] += 1
  }

  /**
   * A request to a peer ended. @param outcome its result; a peer that disconnected or timed out too often is
   * excluded
   */
  answered(peer: Peer, kind: QuestionKind, outcome: 'ok' | 'TIMEOUT' | 'GONE' | 'BUSY'): void {
    const supplier = this.#suppliers.get(peer)
    if (supplier === undefined) return
    supplier.open[kind] -= 1
    if (outcome === 'ok') supplier.failures = 0
    if (outcome === 'TIMEOUT') supplier.failures += 1
    if (outcome === 'BUSY') supplier.restsUntil = this.#now() + REST
    if (outcome === 'GONE') this.remove(peer)
    if (supplier.failures >= MAX_FAILURES) {
      this.remove(peer)
      this.#onDropped(peer)
    }
    this.wake()
  }

  /** Waits until something may have changed. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#waiting.delete(end)
        resolve()
      }
      const timer = setTimeout(end, MAX_WAIT_MILLISECONDS)
      timer.unref()
      this.#waiting.add(end)
    })
  }

  /** Ends all waits. */
  wake(): void {
    for (const end of [...this.#waiting]) end()
  }
}
