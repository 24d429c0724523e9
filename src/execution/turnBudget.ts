/** Time that work may take in one turn of the event loop, so that many short pieces do not add up to a long one. */
export class TurnBudget {
  readonly #milliseconds: number
  #spent = 0
  #running = false

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
  }

  /** Whether nothing is left in this turn. */
  get isSpent(): boolean {
    return this.#spent >= this.#milliseconds
  }

  /** Runs a piece of work and counts its time. */
  run<T>(work: () => T): T {
    this.#watch()
    const start = performance.now()
    try {
      return work()
    } finally {
      this.#spent += performance.now() - start
    }
  }

  #watch(): void {
    if (this.#running) return
    this.#running = true
    setImmediate(() => {
      this.#running = false
      this.#spent = 0
    })
  }
}
