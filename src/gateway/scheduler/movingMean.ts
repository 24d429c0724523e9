/** How much the newest value counts. */
const NEWEST = 0.2

/** A mean in which older values count less and less. */
export class MovingMean {
  #value: number
  #isKnown = false

  /** @param expected the mean as long as there is no value */
  constructor(expected = 0) {
    this.#value = expected
  }

  get value(): number {
    return this.#value
  }

  /** Whether there was a value. */
  get isKnown(): boolean {
    return this.#isKnown
  }

  add(value: number): void {
    this.#value += (this.#isKnown ? NEWEST : 1) * (value - this.#value)
    this.#isKnown = true
  }
}
