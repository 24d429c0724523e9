/** Values by hash; the one that was used longest ago goes when there are too many. */
export class BoundedCache<T> {
  readonly #most: number
  readonly #values = new Map<string, T>()

  constructor(most: number) {
    this.#most = most
  }

  /** The kept value, or the one that is read, which is kept unless there is none. */
  getOrRead(hash: Buffer, read: () => T | null): T | null {
    // One byte per character: half the size of hex, and quicker to make.
    const key = hash.toString('latin1')
    const kept = this.#values.get(key)
    if (kept !== undefined) {
      this.#values.delete(key)
      this.#values.set(key, kept)
      return kept
    }
    const value = read()
    if (value !== null) this.#keep(key, value)
    return value
  }

  /** Keeps a value that nobody has to read then. */
  keep(hash: Buffer, value: T): void {
    this.#keep(hash.toString('latin1'), value)
  }

  clear(): void {
    this.#values.clear()
  }

  #keep(key: string, value: T): void {
    this.#values.set(key, value)
    if (this.#values.size <= this.#most) return
    const oldest = this.#values.keys().next()
    if (oldest.done !== true) this.#values.delete(oldest.value)
  }
}
