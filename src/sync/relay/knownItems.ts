/** Stored characters of a hash: 16 bytes. */
const KEPT_CHARACTERS = 16

/** Approximate memory of a stored hash, bytes: its characters and its entry in a set. */
export const KNOWN_ITEM_BYTES = 64

/** A bounded set of hashes of blocks or transactions: the oldest are evicted. */
export class KnownItems {
  readonly #limit: number
  readonly #items = new Set<string>()

  /** @param limit most hashes */
  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#items.size
  }

  has(hash: Buffer): boolean {
    return this.#items.has(keyOf(hash))
  }

  /** @returns whether it is new */
  add(hash: Buffer): boolean {
    const key = keyOf(hash)
    if (this.#items.has(key)) return false
    this.#items.add(key)
    if (this.#items.size > this.#limit) {
      const [oldest] = this.#items
      if (oldest !== undefined) this.#items.delete(oldest)
    }
    return true
  }

  delete(hash: Buffer): void {
    this.#items.delete(keyOf(hash))
  }
}

function keyOf(hash: Buffer): string {
  return hash.toString('latin1', 0, KEPT_CHARACTERS)
}
