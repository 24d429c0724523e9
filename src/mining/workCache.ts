import type { Block } from '../chain/codec/block.ts'

/** Most work items that can still be solved (mining.md §2): pools may submit solutions of replaced work. */
const CAPACITY = 20

/** A block handed out as work. */
export interface CachedWork {
  readonly block: Block
  /** Milliseconds since 1970. */
  readonly builtAt: number
}

/** The last work items by their hash for merged mining. A solution does not remove its work item. */
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
