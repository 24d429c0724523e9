import type { BlockHeader } from '../chain/codec/header.ts'
import { type FeeMarketReader, isFeeMarketWorking, usualGasPrice } from '../chain/feeMarket.ts'
import type { FeeMarket } from './quota.ts'

/** The fee market at the head, computed once per head. */
export function cachedFeeMarket(chain: FeeMarketReader & { head(): BlockHeader }): () => FeeMarket {
  let known: { readonly hashHex: string; readonly market: FeeMarket } | null = null
  return () => {
    const head = chain.head()
    if (known?.hashHex !== head.hashHex) known = { hashHex: head.hashHex, market: readMarket(chain, head) }
    return known.market
  }
}

function readMarket(chain: FeeMarketReader, head: BlockHeader): FeeMarket {
  const price = isFeeMarketWorking(chain, head) ? usualGasPrice(chain, head) : null
  return { working: price !== null, averageGasPrice: Number(price ?? 0n) }
}
