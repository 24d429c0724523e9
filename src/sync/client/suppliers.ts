import type { Peer } from '../../p2p/peer.ts'

/** Silences in a row after which a peer is left alone for the rest of the branch. */
const MOST_FAILURES = 3

/** How long whoever waits for a free peer sleeps at most: the messages of a minute come back without a sign. */
const LONGEST_WAIT = 500

/** How long a peer whose queue is full is left alone, milliseconds. */
const REST = 250

/** A kind of questions that are counted apart. */
export type QuestionKind = 'headers' | 'bodies'

interface Supplier {
  readonly peer: Peer
  /** Height up to which its skeleton agrees with the branch. */
  upTo: number
  failures: number
  /** Nothing is asked before this time: its queue is full. */
  restsUntil: number
  readonly open: Record<QuestionKind, number>
}

/** The peers that have a branch, how far, and how busy they are. */
export class Suppliers {
  readonly #suppliers = new Map<Peer, Supplier>()
  readonly #excluded = new Set<Peer>()
  readonly #waiting = new Set<() => void>()
  readonly #reserve: number
  readonly #now: () => number
  readonly #onDropped: (peer: Peer) => void

  /**
   * @param reserve questions of a peer's minute that bodies leave: without headers there are none to ask for
   * @param now milliseconds, steady
   * @param onDropped called with a peer that was silent too often
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

  /** Notes that a peer has the branch up to a height; one that was removed stays away. */
  agree(peer: Peer, upTo: number): void {
    if (this.#excluded.has(peer)) return
    const known = this.#suppliers.get(peer)
    if (known === undefined) {
      this.#suppliers.set(peer, { peer, upTo, failures: 0, restsUntil: 0, open: { headers: 0, bodies: 0 } })
    } else known.upTo = Math.max(known.upTo, upTo)
    this.wake()
  }

  /** Forgets agreement above a height: what stands there is to be compared again. */
  limitTo(number: number): void {
    for (const supplier of this.#suppliers.values()) supplier.upTo = Math.min(supplier.upTo, number)
  }

  /** Takes a peer out for the rest of the branch. */
  remove(peer: Peer): void {
    this.#excluded.add(peer)
    if (this.#suppliers.delete(peer)) this.wake()
  }

  /** Whether a peer has the branch up to a height and may be asked one more. */
  isFree(peer: Peer, kind: QuestionKind, most: number, upTo: number): boolean {
    const supplier = this.#suppliers.get(peer)
    if (supplier === undefined || supplier.upTo < upTo) return false
    const reserve = kind === 'bodies' ? this.#reserve : 0
    return supplier.open[kind] < most && peer.allowance > reserve && this.#now() >= supplier.restsUntil
  }

  /** Height up to which a peer has the branch; below every height when it gives nothing of it. */
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

  /** Whether a peer that was not tried has a height, busy or not. */
  hasOther(upTo: number, tried: ReadonlySet<Peer>): boolean {
    return this.having(upTo).some((peer) => !tried.has(peer))
  }

  asked(peer: Peer, kind: QuestionKind): void {
    const supplier = this.#suppliers.get(peer)
    if (supplier !== undefined) supplier.open[kind] += 1
  }

  /** A question of a peer is over. @param outcome what came; a peer that is gone or silent too often is taken out */
  answered(peer: Peer, kind: QuestionKind, outcome: 'ok' | 'TIMEOUT' | 'GONE' | 'BUSY'): void {
    const supplier = this.#suppliers.get(peer)
    if (supplier === undefined) return
    supplier.open[kind] -= 1
    if (outcome === 'ok') supplier.failures = 0
    if (outcome === 'TIMEOUT') supplier.failures += 1
    if (outcome === 'BUSY') supplier.restsUntil = this.#now() + REST
    if (outcome === 'GONE') this.remove(peer)
    if (supplier.failures >= MOST_FAILURES) {
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
      const timer = setTimeout(end, LONGEST_WAIT)
      timer.unref()
      this.#waiting.add(end)
    })
  }

  /** Ends all waits. */
  wake(): void {
    for (const end of [...this.#waiting]) end()
  }
}
