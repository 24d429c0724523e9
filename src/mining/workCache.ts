import type { Block } from '../chain/codec/block.ts'

/** Works that can still be solved (mining.md §2): pools may send solutions of work that was replaced. */
const CAPACITY = 20

/** A block that was handed out. */
export interface CachedWork {
  readonly block: Block
  /** Milliseconds since 1970. */
  readonly builtAt: number
}

/** The last works by their hash for merged mining. A solution does not take its work out. */
export class WorkCache {
  readonly #works = new Map<string, CachedWork>()

  add(hash: Buffer, work: CachedWork): void {
    this.#works.set(hash.toString('hex'), work)
    if (this.#works.size <= CAPACITY) return
    const oldest = this.#works.keys().next()
    if (!oldest.done) this.#works.delete(oldest.value)
  }

  get(hash: Buffer): CachedWork | undefined {
    return this.#works.get(hash.toString('hex'))
  }
}
