import type { BlockPolicy } from './blockDraft.ts'
import type { GasPriceSource } from './gasPriceSource.ts'

/** What users of a development chain may change of the blocks to come. Absent fields stay as they are. */
export interface BlockAdjustment {
  /** Account that is paid, 20 bytes. */
  readonly coinbase?: Buffer
  /** Gas limit that blocks move towards, by a part in 1024 each. */
  readonly gasLimit?: bigint
  /** Wei that the minimum gas price moves towards. */
  readonly minimumGasPrice?: bigint
}

/** What a policy begins with. */
export interface AdjustablePolicyParams extends Omit<BlockPolicy, 'minimumGasPrice'> {
  readonly price: GasPriceSource
}

/** A policy that follows the configuration until somebody changes it. */
export class AdjustablePolicy implements BlockPolicy {
  readonly extraData: Buffer
  readonly #price: GasPriceSource
  #coinbase: Buffer
  #gasLimit: bigint
  #minimumGasPrice: bigint | null = null

  constructor({ coinbase, gasLimit, extraData, price }: AdjustablePolicyParams) {
    this.extraData = extraData
    this.#price = price
    this.#coinbase = coinbase
    this.#gasLimit = gasLimit
  }

  get coinbase(): Buffer {
    return this.#coinbase
  }

  get gasLimit(): bigint {
    return this.#gasLimit
  }

  get minimumGasPrice(): bigint {
    return this.#minimumGasPrice ?? this.#price.current()
  }

  /** Counts from the next block that is built. */
  adjust(adjustment: BlockAdjustment): void {
    const { coinbase, gasLimit, minimumGasPrice } = adjustment
    if (coinbase !== undefined) this.#coinbase = coinbase
    if (gasLimit !== undefined) this.#gasLimit = gasLimit
    if (minimumGasPrice !== undefined) this.#minimumGasPrice = minimumGasPrice
  }
}
