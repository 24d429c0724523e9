import type { BlockReference } from '../chain/tables/blockKey.ts'
import type { EventChain } from './events.ts'

/** A block that joined the canonical chain, or left it. */
export interface BlockEvent extends BlockReference {
  readonly removed: boolean
}

/** The part of the chain that a walk reads. */
export type WalkedChain = Pick<EventChain, 'hashByNumber' | 'storedHeader'>

/**
 * What happened since a block, one event at a time: while the block is not canonical it leaves the chain, and the walk
 * goes on at its parent; from a canonical block it goes to the next one. So it takes the way over the common ancestor,
 * whatever the chain does meanwhile, and who follows it to any block has seen neither a gap nor an event twice.
 */
export class ChainWalk {
  readonly #chain: WalkedChain
  #at: BlockReference

  /** @param at the last block that was reported */
  constructor(chain: WalkedChain, at: BlockReference) {
    this.#chain = chain
    this.#at = at
  }

  /** The block up to which the events so far have been reported. */
  get at(): BlockReference {
    return this.#at
  }

  /**
   * The next event; null at the head of the chain.
   * @throws RangeError when the block that it stands on is not stored any more
   */
  next(): BlockEvent | null {
    const { number, hash } = this.#at
    if (this.#chain.hashByNumber(number)?.equals(hash) !== true) {
      const header = this.#chain.storedHeader(hash)
      if (header === null) throw new RangeError(`block ${number} is not stored any more`)
      this.#at = { number: number - 1, hash: header.parentHash }
      return { number, hash, removed: true }
    }
    const next = this.#chain.hashByNumber(number + 1)
    if (next === null) return null
    this.#at = { number: number + 1, hash: next }
    return { ...this.#at, removed: false }
  }
}

/**
 * Events between a block and the head of the chain; null when there are more than `most`.
 * @throws RangeError when a block between them is not stored
 */
export function countEvents(
  chain: WalkedChain,
  from: BlockReference,
  head: number,
  most: number,
): number | null {
  const walk = new ChainWalk(chain, from)
  for (let removed = 0; removed <= most; removed += 1) {
    const { number, hash } = walk.at
    if (chain.hashByNumber(number)?.equals(hash) === true) {
      const count = removed + Math.max(0, head - number)
      return count <= most ? count : null
    }
    walk.next()
  }
  return null
}
