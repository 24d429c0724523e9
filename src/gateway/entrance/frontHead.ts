import type { BlockReference } from '../../chain/tables/blockKey.ts'
import type { NodeContext } from '../../rpc/context.ts'

/** The head that the front thread answers at, as its newest snapshot has it. */
export class FrontHead {
  readonly #context: Pick<NodeContext, 'chain' | 'refresh' | 'release'>
  #block: BlockReference

  /** Reads the head. */
  constructor(context: Pick<NodeContext, 'chain' | 'refresh' | 'release'>) {
    this.#context = context
    context.refresh()
    try {
      const { number, hash } = context.chain.head()
      this.#block = { number, hash }
    } finally {
      context.release()
    }
  }

  get block(): BlockReference {
    return this.#block
  }

  /** Reads the head of a snapshot that was just taken; whether it is another one. */
  look(): boolean {
    const { number, hash } = this.#context.chain.head()
    if (this.#block.hash.equals(hash)) return false
    this.#block = { number, hash }
    return true
  }

  /** True when a block is the head here. */
  is({ hash }: BlockReference): boolean {
    return hash === this.#block.hash || hash.equals(this.#block.hash)
  }
}
