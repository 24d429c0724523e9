/** The part of a block that validation rules read of an ancestor. It is small, so that many are cached. */
export interface Ancestor {
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
 * Ancestors in the cache. The fork detection rule reads 449 ancestors of every block, and siblings share most
 * of them: a cache of fewer than about 500 costs hundreds of reads from the store per block.
 */
const CAPACITY = 4096

/** Length above which the cached branch is cut back to the requested ancestors, blocks. */
const MAX_BRANCH_BLOCKS = 2048

/** The connected blocks below a block, followed by parent hash. */
export class Ancestry {
  readonly #load: (hashHex: string) => Ancestor | undefined
  readonly #recent = new Map<string, Ancestor>()
  /** The ancestors that the last walks visited, oldest first, so that the next walk needs no lookups. */
  #branch: Ancestor[] = []

  /** @param load reads a stored block */
  constructor(load: (hashHex: string) => Ancestor | undefined) {
    this.#load = load
  }

  /** Makes a newly connected block known. */
  add(metadata: Ancestor): void {
    this.#recent.delete(metadata.hashHex)
    this.#recent.set(metadata.hashHex, metadata)
    if (this.#recent.size <= CAPACITY) return
    const oldest = this.#recent.keys().next()
    if (!oldest.done) this.#recent.delete(oldest.value)
  }

  /** A connected block, or undefined. */
  get(hashHex: string): Ancestor | undefined {
    const known = this.#recent.get(hashHex)
    if (known !== undefined) return known
    const loaded = this.#load(hashHex)
    if (loaded !== undefined) this.add(loaded)
    return loaded
  }

  /** The block and its ancestors, newest first: `count` of them, or fewer where the chain begins. */
  walk(hashHex: string, count: number): Ancestor[] {
    const end = this.#indexOf(hashHex, count) + 1
    return this.#branch.slice(Math.max(0, end - count), end).reverse()
  }

  /**
   * Index of a block in the cached branch, which is extended to `count` blocks below it if the chain has
   * them; -1 for an unknown block.
   */
  #indexOf(hashHex: string, count: number): number {
    const metadata = this.get(hashHex)
    if (metadata === undefined) return -1
    const tip = this.#branch.at(-1)
    if (tip?.hashHex === metadata.parentHashHex) this.#branch.push(metadata)
    let index = this.#branch.length - 1 - ((this.#branch.at(-1)?.number ?? 0) - metadata.number)
    if (this.#branch[index]?.hashHex !== hashHex) {
      this.#branch = [metadata]
      index = 0
    }
    if (index + 1 < count) index += this.#extend(count - index - 1)
    if (this.#branch.length > MAX_BRANCH_BLOCKS) index -= this.#branch.splice(0, index + 1 - count).length
    return index
  }

  /** Extends the cached branch downwards and returns the number of blocks added. */
  #extend(count: number): number {
    const found: Ancestor[] = []
    let lowest = this.#branch[0]
    while (lowest !== undefined && lowest.number > 0 && found.length < count) {
      lowest = this.get(lowest.parentHashHex)
      if (lowest !== undefined) found.push(lowest)
    }
    if (found.length > 0) this.#branch = found.reverse().concat(this.#branch)
    return found.length
  }

  /** The block and its ancestors down to a height, newest first. */
  downTo(hashHex: string, lowest: number): Ancestor[] {
    const found: Ancestor[] = []
    let next = this.get(hashHex)
    while (next !== undefined && next.number >= lowest) {
      found.push(next)
      next = next.number === 0 ? undefined : this.get(next.parentHashHex)
    }
    return found
  }
}
