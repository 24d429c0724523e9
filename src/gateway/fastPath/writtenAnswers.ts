/** Answers that the native core has written for the requests of a body. */
export interface WrittenAnswers {
  /** One of which a record has the bounds. */
  part(start: number, end: number): Uint8Array
}

/** A copy of some of them, which stays when the next body is read. */
export class KeptAnswers implements WrittenAnswers {
  readonly #bytes: Uint8Array
  readonly #first: number

  /** @param first bound of the first byte */
  constructor(bytes: Uint8Array, first: number) {
    this.#bytes = Uint8Array.from(bytes)
    this.#first = first
  }

  get length(): number {
    return this.#bytes.length
  }

  part(start: number, end: number): Uint8Array {
    return this.#bytes.subarray(start - this.#first, end - this.#first)
  }
}
