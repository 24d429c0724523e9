import type { Config } from '../../config/schema.ts'
import type { StableGasPriceOptions } from '../../mining/gasPriceSource.ts'
import type { RateContract } from '../../mining/rateFromContract.ts'
import type { RateUrl } from '../../mining/rateFromUrl.ts'
import type { WorkOptions } from '../../mining/workServerParams.ts'
import { fromHex } from '../../util/bytes.ts'

const WEI_PER_GWEI = 1_000_000_000n

/** Sources of the rate of bitcoin. */
export type RateSource =
  | { readonly kind: 'url'; readonly url: RateUrl }
  | { readonly kind: 'contract'; readonly contract: RateContract }

/** Options by which the minimum gas price of blocks follows another currency. */
export interface StablePriceOptions extends StableGasPriceOptions {
  readonly source: RateSource
}

/** Options for merged miners; null where they are not served. */
export function workOptionsFromConfig(config: Config): WorkOptions | null {
  if (!config.mergedMining) return null
  return {
    refreshTime: config.workRefreshTime * 1000,
    onTransactions: config.workOnTransactions,
    submissionInterval: config.submissionInterval,
    notifyFees: BigInt(config.notifyFees) * WEI_PER_GWEI,
  }
}

/** Options by which the price of gas is kept stable; null where it is fixed, or no source of a rate is named. */
export function stablePriceOptionsFromConfig(config: Config): StablePriceOptions | null {
  const source = rateSource(config)
  if (config.stableGasPrice === 0 || source === null) return null
  return {
    source,
    stablePrice: BigInt(config.stableGasPrice),
    minimumRate: BigInt(config.gasPriceRateMinimum),
    maximumRate: BigInt(config.gasPriceRateMaximum),
    refreshTime: config.gasPriceRateRefreshTime * 1000,
  }
}

/** The contract when both are named: it needs nobody outside. */
function rateSource(config: Config): RateSource | null {
  const { gasPriceRateContract: address, gasPriceRateCaller: caller, gasPriceRateUrl: url } = config
  if (address !== null) {
    const contract = {
      address: fromHex(address),
      caller: caller === null ? null : fromHex(caller),
      callData: fromHex(config.gasPriceRateCallData),
    }
    return { kind: 'contract', contract }
  }
  if (url === null) return null
  const pointer = config.gasPriceRatePointer ?? ''
  return { kind: 'url', url: { url, pointer, timeout: config.gasPriceRateTimeout } }
}
