/** Source of the target of the minimum gas price. */
export interface GasPriceSource {
  /** Current target, wei. Never blocks. */
  current(): bigint
}

/** A constant price. */
export function fixedGasPrice(price: bigint): GasPriceSource {
  return { current: () => price }
}

/** Bounds and times of a {@link StableGasPrice}. */
export interface StableGasPriceOptions {
  /** Price in the unit of the stable currency times wei: it is divided by the rate. */
  readonly stablePrice: bigint
  /** Smallest and largest plausible rate. */
  readonly minimumRate: bigint
  readonly maximumRate: bigint
  /** Interval of updates of the rate, milliseconds. */
  readonly refreshTime: number
}

/** Parts of a stable gas price. */
export interface StableGasPriceParams extends StableGasPriceOptions {
  /** Price until a rate is known. */
  readonly fallback: bigint
  /** The rate of bitcoin, a whole number; rejects when there is none. */
  readonly fetchRate: () => Promise<bigint>
  /** Called for rates that could not be fetched or are implausible. */
  readonly onFailure: (error: Error) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Pause after a failure, milliseconds: each build asks for the price. */
const RETRY_TIME = 30_000

/**
 * A price that stays about the same in another currency: a fixed amount divided by the rate of bitcoin
 * (consensus.md §9.4 step 2). The rate is fetched in the background; block building uses the last known
 * price.
 */
export class StableGasPrice implements GasPriceSource {
  readonly #params: StableGasPriceParams
  #price: bigint | null = null
  #nextFetch = Number.NEGATIVE_INFINITY
  #fetching = false

  constructor(params: StableGasPriceParams) {
    this.#params = params
  }

  current(): bigint {
    if (!this.#fetching && this.#params.now() >= this.#nextFetch) void this.refresh()
    return this.#price ?? this.#params.fallback
  }

  /** Fetches the rate now; never rejects. */
  async refresh(): Promise<void> {
    const { fetchRate, onFailure, now, refreshTime } = this.#params
    this.#fetching = true
    try {
      this.#price = this.#priceAt(await fetchRate())
      this.#nextFetch = now() + refreshTime
    } catch (error) {
      this.#nextFetch = now() + Math.min(refreshTime, RETRY_TIME)
      onFailure(error instanceof Error ? error : new Error(String(error)))
    } finally {
      this.#fetching = false
    }
  }

  /** null where the quotient is zero: the fallback then applies, as in the reference. */
  #priceAt(rate: bigint): bigint | null {
    const { stablePrice, minimumRate, maximumRate } = this.#params
    if (rate < minimumRate || rate > maximumRate || rate <= 0n) {
      throw new RangeError(`a rate between ${minimumRate} and ${maximumRate} expected, found ${rate}`)
    }
    const price = stablePrice / rate
    return price === 0n ? null : price
  }
}
