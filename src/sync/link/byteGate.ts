/** Lets in what there is room for, in the order in which it came; the rest waits outside. */
export class ByteGate {
  readonly #limit: number
  readonly #waiting: { readonly bytes: number; readonly enter: () => void }[] = []
  #bytes = 0

  /** @param limit bytes that may be inside; what is larger enters when nothing else is there */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Bytes that are inside. */
  get bytes(): number {
    return this.#bytes
  }

  /** Resolves inside. */
  enter(bytes: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ bytes, enter: resolve })
      this.#admit()
    })
  }

  /** Gives back what {@link enter} took. */
  leave(bytes: number): void {
    this.#bytes -= bytes
    this.#admit()
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#bytes > 0 && this.#bytes + next.bytes > this.#limit) return
      this.#waiting.shift()
      this.#bytes += next.bytes
      next.enter()
    }
  }
}
