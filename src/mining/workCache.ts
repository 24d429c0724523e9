import type { Block } from '../chain/codec/block.ts'

/**
 * Most work items of one builder that can still be solved (mining.md §2): pools may submit solutions of replaced work.
 */
const CAPACITY = 20
/** The same where others hand it out, too (fleet.md §9). */
const SHARED_CAPACITY = 32
/** Work items of all builders, and bytes of their blocks as far as they came from elsewhere: the oldest go first. */
const MAX_WORKS = 1024
const MAX_BYTES = 64 * 1024 * 1024

/** A block handed out as work. */
export interface CachedWork {
  readonly block: Block
  /** Milliseconds since 1970. */
  readonly builtAt: number
  /** Builder; none for this node. */
  readonly from?: string
  /** Of a template of another node; none where the block shares its memory with the pool. */
  readonly bytes?: number
}

/** The last work items by their hash for merged mining. A solution does not remove its work item. */
export class WorkCache {
  readonly #capacity: number
  readonly #works = new Map<string, CachedWork>()
  #bytes = 0

  /** @param isShared whether others build work, too */
  constructor(isShared: boolean) {
    this.#capacity = isShared ? SHARED_CAPACITY : CAPACITY
  }

  add(hash: Buffer, work: CachedWork): void {
    const name = hash.toString('hex')
    this.#bytes += (work.bytes ?? 0) - (this.#works.get(name)?.bytes ?? 0)
    this.#works.set(name, work)
    const ofBuilder = [...this.#works].filter(([, { from }]) => from === work.from)
    for (const [oldest] of ofBuilder.slice(0, -this.#capacity)) this.#remove(oldest)
    for (const oldest of this.#works.keys()) {
      const isWithin = this.#works.size <= MAX_WORKS && this.#bytes <= MAX_BYTES
      if (isWithin || oldest === name) return
      this.#remove(oldest)
    }
  }

  get(hash: Buffer): CachedWork | undefined {
    return this.#works.get(hash.toString('hex'))
  }

  /** The work that others built on a block since a time. @param since milliseconds since 1970 */
  received(parent: Buffer, since: number): readonly CachedWork[] {
    return [...this.#works.values()].filter(
      ({ from, builtAt, block }) =>
        from !== undefined && builtAt > since && block.header.parentHash.equals(parent),
    )
  }

  #remove(name: string): void {
    this.#bytes -= this.#works.get(name)?.bytes ?? 0
    this.#works.delete(name)
  }
}
