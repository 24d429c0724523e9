/** Entries of a journal from some position on. */
export interface JournalPart<T> {
  readonly entries: readonly T[]
  /** Position after the last of them. */
  readonly next: number
}

/** The last events, in order. Readers keep positions; what is too old is forgotten. */
export class Journal<T> {
  readonly #most: number
  readonly #entries: T[] = []
  #start = 0

  /** @param most entries that are kept at least; up to an eighth more for a while */
  constructor(most: number) {
    this.#most = most
  }

  /** Position of the next entry. */
  get end(): number {
    return this.#start + this.#entries.length
  }

  /** Position of the oldest entry that is kept. */
  get start(): number {
    return this.#start
  }

  push(entry: T): void {
    this.#entries.push(entry)
    if (this.#entries.length <= this.#most * 1.125) return
    const forgotten = this.#entries.length - this.#most
    this.#entries.splice(0, forgotten)
    this.#start += forgotten
  }

  /** Up to `most` entries from a position on; those that are forgotten are left out. */
  read(position: number, most: number = Number.POSITIVE_INFINITY): JournalPart<T> {
    const first = Math.max(0, position - this.#start)
    const entries = this.#entries.slice(first, first + most)
    return { entries, next: this.#start + first + entries.length }
  }
}
