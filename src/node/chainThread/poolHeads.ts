import type { BlockHeader } from '../../chain/codec/header.ts'
import { isDevelopmentNetwork, type NetworkSpec } from '../../config/networkSpec.ts'
import type { OpenChain } from '../../execution/openChain.ts'
import { type BlockPolicy, nextBlockLimits } from '../../mining/blockDraft.ts'
import type { BlockLimits, PoolHead } from '../../txpool/interface.ts'
import { createPoolHead } from '../../txpool/poolHead.ts'

/** The pool's view of heads, and of the blocks that are made on them. */
export class PoolHeads {
  readonly #spec: NetworkSpec
  readonly #open: OpenChain
  readonly #makesBlocks: () => boolean
  /** The policy that makes the blocks of this node; null until it is there. */
  policy: Pick<BlockPolicy, 'gasLimit' | 'minimumGasPrice'> | null = null

  /** @param makesBlocks whether this node makes the blocks of a development chain */
  constructor(spec: NetworkSpec, open: OpenChain, makesBlocks: () => boolean) {
    this.#spec = spec
    this.#open = open
    this.#makesBlocks = makesBlocks
  }

  /** The target of the minimum gas price, wei; null where others make the blocks. */
  get priceTarget(): bigint | null {
    return this.#maker?.minimumGasPrice ?? null
  }

  of(header: BlockHeader): PoolHead {
    const { nativeSpec, stateStore: store } = this.#open
    return createPoolHead({ spec: this.#spec, nativeSpec, store, header, nextLimits: this.#limitsOn(header) })
  }

  /** Each transaction asks several times; they change when a user adjusts the policy. */
  #limitsOn(head: BlockHeader): () => BlockLimits | null {
    let known: { gasLimit: bigint; minimumGasPrice: bigint; limits: BlockLimits } | null = null
    return () => {
      const maker = this.#maker
      if (maker === null) return null
      const { gasLimit, minimumGasPrice } = maker
      if (known?.gasLimit !== gasLimit || known.minimumGasPrice !== minimumGasPrice) {
        known = { gasLimit, minimumGasPrice, limits: nextBlockLimits(maker, head, this.#spec) }
      }
      return known.limits
    }
  }

  /**
   * On a development chain the node makes the next block, and what that cannot take would wait in vain. Where another
   * member of a fleet makes it, what this one learns of its blocks says nothing.
   */
  get #maker(): PoolHeads['policy'] {
    return isDevelopmentNetwork(this.#spec) && this.#makesBlocks() ? this.policy : null
  }
}
