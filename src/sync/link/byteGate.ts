/** A semaphore of bytes, which admits callers in the order of their arrival. */
export class ByteGate {
  readonly #limit: number
  readonly #waiting: { readonly bytes: number; readonly enter: () => void }[] = []
  #bytes = 0

  /** @param limit most bytes admitted at once; a larger request is admitted when nothing else is */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Bytes admitted now. */
  get bytes(): number {
    return this.#bytes
  }

  /** Resolves when admitted. */
  enter(bytes: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ bytes, enter: resolve })
      this.#admit()
    })
  }

  /** Releases what {@link enter} acquired. */
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
