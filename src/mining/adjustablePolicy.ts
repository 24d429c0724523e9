import type { BlockPolicy } from './blockDraft.ts'
import type { GasPriceSource } from './gasPriceSource.ts'

/** Block parameters that users of a development chain may change. Absent fields are unchanged. */
export interface BlockAdjustment {
  /** Address of the coinbase, 20 bytes. */
  readonly coinbase?: Buffer
  /** Target of the gas limit, which changes by at most one part in 1024 per block. */
  readonly gasLimit?: bigint
  /** Target of the minimum gas price, wei. */
  readonly minimumGasPrice?: bigint
}

/** Initial values of a policy. */
export interface AdjustablePolicyParams extends Omit<BlockPolicy, 'minimumGasPrice'> {
  readonly price: GasPriceSource
}

/** A policy that follows the configuration until a user changes it. */
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

  /** Takes effect with the next block that is built. */
  adjust(adjustment: BlockAdjustment): void {
    const { coinbase, gasLimit, minimumGasPrice } = adjustment
    if (coinbase !== undefined) this.#coinbase = coinbase
    if (gasLimit !== undefined) this.#gasLimit = gasLimit
    if (minimumGasPrice !== undefined) this.#minimumGasPrice = minimumGasPrice
  }
}
