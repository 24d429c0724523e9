import { networkGroup } from './networkGroup.ts'
import type { Scheduler } from './scheduler.ts'

/** Most handshakes within {@link WINDOW_MS}, per address and per subnet. */
const MAX_OF_ADDRESS = 16
const MAX_OF_GROUP = 64
const WINDOW_MS = 10_000

/** Most tracked addresses and subnets; the oldest is evicted first. */
const MAX_KEPT = 2048

/** Limits the rate of connections per address: a handshake costs this node more than the initiator. */
export class ConnectRate {
  readonly #scheduler: Scheduler
  readonly #counts = new Map<string, { since: number; count: number }>()

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  get size(): number {
    return this.#counts.size
  }

  /** Counts a connection; false when the address or its subnet has exceeded its rate. */
  admit(address: string): boolean {
    const own = this.#count(address)
    const group = this.#count(`${networkGroup(address)}/`)
    return own <= MAX_OF_ADDRESS && group <= MAX_OF_GROUP
  }

  #count(key: string): number {
    const now = this.#scheduler.now()
    const known = this.#counts.get(key)
    if (known !== undefined && now - known.since < WINDOW_MS) {
      known.count += 1
      return known.count
    }
    this.#counts.delete(key)
    this.#counts.set(key, { since: now, count: 1 })
    if (this.#counts.size > MAX_KEPT) {
      const [oldest] = this.#counts.keys()
      if (oldest !== undefined) this.#counts.delete(oldest)
    }
    return 1
  }
}
