/**
 * Work that was put off. It does some, until a time of `performance.now()`.
 * @returns whether more is left
 */
export type Work = (until: number) => boolean

/** Work in front that is done is dropped from the array at once, so that taking stays cheap. */
const COMPACT_AT = 1024

/** One client's use of the thread that has the sockets, and its work that was put off. Only `FrontWork` writes it. */
export class ClientWork {
  /** Turn of the event loop in which it asked last. */
  turn = 0
  /** Requests that were begun for it in that turn, each element of a batch one. */
  requests = 0
  /** Milliseconds that they took. */
  spent = 0
  /** Turn in which work that was put off was done last. */
  servedIn = 0
  /** Milliseconds that it may still use before others are served; below zero it owes as much. */
  credit = 0
  #waiting: Work[] = []
  #first = 0

  /** Pieces of work that wait. */
  get waiting(): number {
    return this.#waiting.length - this.#first
  }

  /** The next one; undefined when none waits. */
  get next(): Work | undefined {
    return this.#waiting[this.#first]
  }

  add(work: Work): void {
    this.#waiting.push(work)
  }

  /** Replaces the next one by what is left of it. */
  replaceNext(rest: Work): void {
    this.#waiting[this.#first] = rest
  }

  /** The next one is done. */
  done(): void {
    this.#first += 1
    if (this.#first < COMPACT_AT && this.#first < this.#waiting.length) return
    this.#waiting = this.#waiting.slice(this.#first)
    this.#first = 0
  }
}
