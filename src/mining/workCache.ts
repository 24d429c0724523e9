import type { Block } from '../chain/codec/block.ts'

/** Most work items that can still be solved (mining.md §2): pools may submit solutions of replaced work. */
const CAPACITY = 20
/** Bytes of their blocks, as far as they came from elsewhere: the oldest go first, but for the newest of all. */
const CAPACITY_BYTES = 64 * 1024 * 1024

/** A block handed out as work. */
export interface CachedWork {
  readonly block: Block
  /** Milliseconds since 1970. */
  readonly builtAt: number
  /** Of a template of another node; none where the block shares its memory with the pool. */
  readonly bytes?: number
}

/** The last work items by their hash for merged mining. A solution does not remove its work item. */
export class WorkCache {
  readonly #works = new Map<string, CachedWork>()
  #bytes = 0

  add(hash: Buffer, work: CachedWork): void {
    const name = hash.toString('hex')
    this.#bytes += (work.bytes ?? 0) - (this.#works.get(name)?.bytes ?? 0)
    this.#works.set(name, work)
    for (const [oldest, { bytes = 0 }] of this.#works) {
      const isWithin = this.#works.size <= CAPACITY && this.#bytes <= CAPACITY_BYTES
      if (isWithin || oldest === name) return
      this.#works.delete(oldest)
      this.#bytes -= bytes
    }
  }

  get(hash: Buffer): CachedWork | undefined {
    return this.#works.get(hash.toString('hex'))
  }
}
