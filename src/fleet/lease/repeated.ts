/** Does something again and again, so many milliseconds from beginning to beginning, and never twice at once. */
export class Repeated {
  readonly #run: () => Promise<void>
  readonly #interval: number
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | null = null
  #isWanted = false
  #isStopped = false

  /** @param run does not throw */
  constructor(run: () => Promise<void>, interval: number) {
    this.#run = run
    this.#interval = interval
  }

  start(): void {
    this.now()
  }

  /** Begins at once, or once more when what runs now has ended. */
  now(): void {
    if (this.#isStopped) return
    if (this.#running !== null) {
      this.#isWanted = true
      return
    }
    clearTimeout(this.#timer)
    const began = performance.now()
    this.#running = this.#run().finally(() => {
      this.#running = null
      if (this.#isStopped) return
      const wait = this.#isWanted ? 0 : Math.max(0, this.#interval - (performance.now() - began))
      this.#isWanted = false
      this.#timer = setTimeout(() => this.now(), wait)
    })
  }

  /** Resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#running
  }
}
