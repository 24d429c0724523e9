import type { NetworkSpec } from '../config/networkSpec.ts'
import type { NativeChainSpec } from '../native/chainSpec.ts'
import type { Ancestry } from './ancestry.ts'
import type { ChainStoreReader } from './chainStoreReader.ts'
import type { Block } from './codec/block.ts'
import type { BlockHeader } from './codec/header.ts'
import { MAX_UNCLES, UNCLE_GENERATIONS } from './consensus.ts'
import { checkUncles } from './validation/uncles.ts'
import type { HeaderContext } from './validation/validationContext.ts'

/** Sources of uncles. */
export interface UncleSelectionParams {
  readonly spec: NetworkSpec
  readonly nativeSpec: NativeChainSpec
  readonly ancestry: Ancestry
  readonly reader: Pick<ChainStoreReader, 'blocksAt' | 'headerByHash'>
  /** Seconds since 1970. */
  readonly now: () => number
}

/** Chooses the uncles of blocks to be built. */
export class UncleSelection {
  readonly #params: UncleSelectionParams
  readonly #context: HeaderContext

  constructor(params: UncleSelectionParams) {
    const { spec, nativeSpec, ancestry, reader, now } = params
    this.#params = params
    this.#context = {
      spec,
      nativeSpec,
      ancestry,
      now,
      disabledRules: new Set(),
      headerByHash: (hash) => reader.headerByHash(hash) ?? undefined,
    }
  }

  /**
   * Stored blocks that the next block on a parent can have as uncles: branches of the last seven generations
   * (consensus.md §9.4 step 1). The oldest come first, because their reward shrinks with every block
   * (consensus.md §8.3).
   */
  select(parent: BlockHeader): BlockHeader[] {
    const { ancestry, reader } = this.#params
    const number = parent.number + 1
    const ancestors = ancestry.downTo(parent.hashHex, Math.max(0, number - UNCLE_GENERATIONS))
    const family = new Set(ancestors.map(({ hashHex }) => hashHex))
    const used = new Set(ancestors.flatMap(({ uncleHashes }) => uncleHashes))
    const found: BlockHeader[] = []
    for (let height = Math.max(1, number - UNCLE_GENERATIONS + 1); height < number; height += 1) {
      for (const { hash } of reader.blocksAt(height)) {
        const hashHex = hash.toString('hex')
        if (family.has(hashHex) || used.has(hashHex)) continue
        const header = reader.headerByHash(hash)
        if (header === null || !family.has(header.parentHash.toString('hex'))) continue
        found.push(header)
        if (found.length === MAX_UNCLES) return found
      }
    }
    return found
  }

  /**
   * Whether the uncles of a draft are valid under the rule that importing nodes apply (consensus.md §4.3).
   */
  isAllowed(draft: Block): boolean {
    return checkUncles(this.#context, draft) === null
  }
}
