/** What the rules read of the blocks below a block. Small, so that many are kept in memory. */
export interface AncestorFacts {
  readonly hashHex: string
  readonly parentHashHex: string
  readonly number: number
  /** Of the header, as written. */
  readonly uncleCount: number
  /** Hashes of the uncles in the body. */
  readonly uncleHashes: readonly string[]
  /** Least significant byte of the Bitcoin block hash; null when the block has no Bitcoin header. */
  readonly bitcoinHashByte: number | null
}

/**
 * Facts kept in memory. The fork detection rule reads 449 ancestors of every block, and siblings share
 * most of them: below some 500 every block costs hundreds of reads from the store.
 */
const CAPACITY = 4096

/** The connected blocks below a block, followed by parent hash. */
export class Ancestry {
  readonly #load: (hashHex: string) => AncestorFacts | undefined
  readonly #recent = new Map<string, AncestorFacts>()

  /** @param load reads the facts of a stored block */
  constructor(load: (hashHex: string) => AncestorFacts | undefined) {
    this.#load = load
  }

  /** Makes a newly connected block known. */
  add(facts: AncestorFacts): void {
    this.#recent.delete(facts.hashHex)
    this.#recent.set(facts.hashHex, facts)
    if (this.#recent.size <= CAPACITY) return
    const oldest = this.#recent.keys().next()
    if (!oldest.done) this.#recent.delete(oldest.value)
  }

  /** Facts of a connected block, or undefined. */
  get(hashHex: string): AncestorFacts | undefined {
    const known = this.#recent.get(hashHex)
    if (known !== undefined) return known
    const loaded = this.#load(hashHex)
    if (loaded !== undefined) this.add(loaded)
    return loaded
  }

  /** The block and its ancestors, newest first: `count` of them, or fewer where the chain begins. */
  walk(hashHex: string, count: number): AncestorFacts[] {
    const found: AncestorFacts[] = []
    let next = this.get(hashHex)
    while (next !== undefined && found.length < count) {
      found.push(next)
      next = next.number === 0 ? undefined : this.get(next.parentHashHex)
    }
    return found
  }

  /** The block and its ancestors down to a height, newest first. */
  downTo(hashHex: string, lowest: number): AncestorFacts[] {
    const found: AncestorFacts[] = []
    let next = this.get(hashHex)
    while (next !== undefined && next.number >= lowest) {
      found.push(next)
      next = next.number === 0 ? undefined : this.get(next.parentHashHex)
    }
    return found
  }
}
