import type { BlockReference } from '../../chain/tables/blockKey.ts'
import type { BlockName } from '../../rpc/params/param.ts'

/** Blocks above the own head that are worth waiting for: a node that is further behind is not followed at the head. */
const MAX_AHEAD = 64

/** The part of the own chain that is asked for. */
export interface OwnBlocks {
  /** Height of the head that requests see. */
  readonly height: number
  /** True when a block is executed here, canonical or not. */
  has(hash: Buffer): boolean
}

/**
 * Blocks that other nodes of the same service have announced (fleet.md §4): what a client learnt there is not answered
 * with nothing here. None for a node alone.
 */
export class AnnouncedBlocks {
  /** True when there is a block that this node lacks. It is read for every body, so it is no getter. */
  isBehind = false
  readonly #own: OwnBlocks
  readonly #hashes = new Map<string, BlockReference>()
  #highest = 0
  /** Height of the heaviest block here, which may wait to be adopted. */
  #executed = 0

  constructor(own: OwnBlocks) {
    this.#own = own
  }

  /** Others have these blocks, and no more of those before. */
  replace(blocks: readonly BlockReference[]): void {
    this.#hashes.clear()
    for (const block of blocks) this.#hashes.set(block.hash.toString('latin1'), block)
    this.#highest = blocks.reduce((highest, { number }) => Math.max(highest, number), 0)
    this.look()
  }

  /** The heaviest block here has this height: others may have adopted it already. */
  executed(height: number): void {
    this.#executed = height
  }

  /** Looks anew what is lacking: the head changed, or a block was executed. */
  look(): void {
    const { height } = this.#own
    const isLacking = () => [...this.#hashes.values()].some(({ hash }) => !this.#own.has(hash))
    this.isBehind = this.#ahead > height || (this.#hashes.size > 0 && isLacking())
  }

  /** True when a block that a request names is another node's and not yet here. */
  lacks(name: BlockName): boolean {
    const { height } = this.#own
    if (typeof name === 'number') return name > height && name <= Math.min(this.#ahead, height + MAX_AHEAD)
    const found = this.#hashes.get(name.toString('latin1'))
    return found !== undefined && found.number <= height + MAX_AHEAD && !this.#own.has(name)
  }

  get #ahead(): number {
    return Math.max(this.#highest, this.#executed)
  }
}
