import type { PeerAddress } from './ports.ts'
import type { Scheduler } from './scheduler.ts'

/** Delay of the next attempt after a failure, milliseconds: doubled with each failure up to the maximum. */
export interface BackOff {
  readonly first: number
  readonly most: number
}

/** For discovered nodes, of which there are others, and for those that the operator configured. */
export const CANDIDATE_BACK_OFF: BackOff = { first: 30_000, most: 3_600_000 }
export const STATIC_BACK_OFF: BackOff = { first: 3000, most: 60_000 }

/** Most tracked nodes; the one that failed longest ago is evicted first. */
const MAX_NODES = 2000

/** Doublings after which the maximum is reached in any case. */
const MAX_FAILURES = 20

/** Nodes that could not be reached, or did not stay. */
export class DialHistory {
  readonly #scheduler: Scheduler
  readonly #random: () => number
  readonly #nodes = new Map<string, { failures: number; failedAt: number; wait: number }>()

  constructor(scheduler: Scheduler, random: () => number) {
    this.#scheduler = scheduler
    this.#random = random
  }

  get size(): number {
    return this.#nodes.size
  }

  /** Records that a node could not be reached or disconnected at once. */
  failed(node: PeerAddress, { first, most }: BackOff): void {
    const key = keyOf(node)
    const failures = Math.min(MAX_FAILURES, (this.#nodes.get(key)?.failures ?? 0) + 1)
    // Up to 50 % of jitter, so that nodes which failed together are not dialled together.
    const wait = Math.min(most, first * 2 ** (failures - 1)) * (1 + this.#random() / 2)
    this.#nodes.delete(key)
    this.#nodes.set(key, { failures, failedAt: this.#scheduler.now(), wait })
    if (this.#nodes.size > MAX_NODES) {
      const [oldest] = this.#nodes.keys()
      if (oldest !== undefined) this.#nodes.delete(oldest)
    }
  }

  /** Records that a node stayed for a while. */
  stayed(node: PeerAddress): void {
    this.#nodes.delete(keyOf(node))
  }

  /**
   * Whether a node may be dialled now.
   * @param longest longest delay, milliseconds
   */
  mayDial(node: PeerAddress, longest: number = Number.POSITIVE_INFINITY): boolean {
    const known = this.#nodes.get(keyOf(node))
    return known === undefined || known.failedAt + Math.min(known.wait, longest) <= this.#scheduler.now()
  }
}

function keyOf({ id, address, port }: PeerAddress): string {
  return `${id}@${address}:${port}`
}
