/**
 * Asks a question for everybody who has it: at most one is under way, and one more waits for it. Who asks never gets the
 * answer to a question that was sent before, so that whatever was so when one asked is in the answer.
 */
export class SharedQuestion<T> {
  readonly #ask: () => Promise<T>
  #running: Promise<T> | null = null
  #next: Promise<T> | null = null

  constructor(ask: () => Promise<T>) {
    this.#ask = ask
  }

  /** The answer to a question that is sent from now on. Rejects as the question does. */
  ask(): Promise<T> {
    if (this.#running === null) return this.#send()
    this.#next ??= this.#running.then(
      () => this.#sendNext(),
      () => this.#sendNext(),
    )
    return this.#next
  }

  #sendNext(): Promise<T> {
    this.#next = null
    return this.#send()
  }

  #send(): Promise<T> {
    const running = this.#ask()
    this.#running = running
    const settle = () => {
      if (this.#running === running) this.#running = null
    }
    running.then(settle, settle)
    return running
  }
}
