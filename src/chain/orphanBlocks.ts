import type { Block } from './codec/block.ts'

/**
 * Most blocks held while their parent is unknown. A peer can send any number of them, so that the oldest are
 * dropped. Revise when a metric shows that dropped blocks turn out to be needed.
 */
const MAX_BLOCKS = 256
/** Most bytes of their RLP, for the same reason. */
const MAX_BYTES = 64 * 1024 * 1024

/** Blocks whose parent is not connected yet, bounded in number and size. */
export class OrphanBlocks {
  /** In order of arrival. */
  readonly #blocks = new Map<string, Block>()
  readonly #byParent = new Map<string, Set<string>>()
  #bytes = 0

  get size(): number {
    return this.#blocks.size
  }

  has(hashHex: string): boolean {
    return this.#blocks.has(hashHex)
  }

  /** Adds a block. The oldest are dropped when there is no room. */
  add(block: Block): void {
    if (this.#blocks.has(block.hashHex) || block.encoded.length > MAX_BYTES) return
    this.#blocks.set(block.hashHex, block)
    this.#bytes += block.encoded.length
    const parent = parentHex(block)
    const siblings = this.#byParent.get(parent) ?? new Set()
    this.#byParent.set(parent, siblings.add(block.hashHex))
    for (const oldest of this.#blocks.values()) {
      if (this.#blocks.size <= MAX_BLOCKS && this.#bytes <= MAX_BYTES) break
      this.#remove(oldest)
    }
  }

  /** Removes and returns the children of a block, in order of arrival. */
  takeChildren(parentHashHex: string): Block[] {
    const children = [...(this.#byParent.get(parentHashHex) ?? [])].flatMap(
      (hash) => this.#blocks.get(hash) ?? [],
    )
    for (const child of children) this.#remove(child)
    return children
  }

  #remove(block: Block): void {
    if (!this.#blocks.delete(block.hashHex)) return
    this.#bytes -= block.encoded.length
    const parent = parentHex(block)
    const siblings = this.#byParent.get(parent)
    siblings?.delete(block.hashHex)
    if (siblings?.size === 0) this.#byParent.delete(parent)
  }
}

function parentHex(block: Block): string {
  return block.header.parentHash.toString('hex')
}
