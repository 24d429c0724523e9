import type { Scheduler } from '../../p2p/peers/scheduler.ts'

/** Messages that come together go together, milliseconds. */
const GATHER = 5

/** Does something at once, and again no sooner than a short time later. */
export class Paced {
  readonly #scheduler: Scheduler
  readonly #action: () => void
  #last = Number.NEGATIVE_INFINITY
  #isWaiting = false

  constructor(scheduler: Scheduler, action: () => void) {
    this.#scheduler = scheduler
    this.#action = action
  }

  /** Milliseconds since it was done last. */
  get rested(): number {
    return this.#scheduler.now() - this.#last
  }

  soon(): void {
    if (this.#isWaiting) return
    const left = GATHER - this.rested
    if (left <= 0) {
      this.#act()
      return
    }
    this.#isWaiting = true
    this.#scheduler.after(left, () => {
      this.#isWaiting = false
      this.#act()
    })
  }

  #act(): void {
    this.#last = this.#scheduler.now()
    this.#action()
  }
}
