import type { HeadStep } from '../head/servedHead.ts'
import type { FleetStatus } from '../interface.ts'

/** Waits of which the distribution is told. */
const KEPT = 1000

/** How blocks came to be adopted, and how long they waited. */
export class HeadWaits {
  readonly adoptions: Record<HeadStep['why'], number> = { executed: 0, adopted: 0, late: 0 }
  readonly #waits: number[] = []
  #longest = 0

  add({ why, waited }: HeadStep): void {
    this.adoptions[why] += 1
    this.#longest = Math.max(this.#longest, waited)
    this.#waits.push(waited)
    if (this.#waits.length > KEPT) this.#waits.shift()
  }

  get stats(): FleetStatus['waits'] {
    const sorted = [...this.#waits].sort((one, other) => one - other)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
    return { p50: at(0.5), p99: at(0.99), longest: this.#longest }
  }
}
