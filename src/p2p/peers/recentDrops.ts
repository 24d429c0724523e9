import type { Scheduler } from './scheduler.ts'

/**
 * Time in which an address is refused after one of its connections was not admitted, milliseconds (p2p.md
 * §7).
 */
const REFUSED_MS = 10_000

/** Most tracked addresses; the oldest is evicted first. */
const MAX_ADDRESSES = 1024

/** Addresses that were recently refused. */
export class RecentDrops {
  readonly #scheduler: Scheduler
  readonly #droppedAt = new Map<string, number>()

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  record(address: string): void {
    this.#droppedAt.delete(address)
    this.#droppedAt.set(address, this.#scheduler.now())
    if (this.#droppedAt.size > MAX_ADDRESSES) {
      const [oldest] = this.#droppedAt.keys()
      if (oldest !== undefined) this.#droppedAt.delete(oldest)
    }
  }

  /** True when the address is refused now. */
  has(address: string): boolean {
    const at = this.#droppedAt.get(address)
    if (at === undefined) return false
    if (this.#scheduler.now() - at < REFUSED_MS) return true
    this.#droppedAt.delete(address)
    return false
  }

  get size(): number {
    return this.#droppedAt.size
  }
}
