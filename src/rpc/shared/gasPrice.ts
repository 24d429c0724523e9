import { isFeeMarketWorking, usualGasPrice } from '../../chain/feeMarket.ts'
import type { NodeContext } from '../context.ts'

/** Price of eth_gasPrice in wei: the head's minimum with a margin, more while blocks are full. */
export function suggestGasPrice({ chain, node }: NodeContext): bigint {
  const head = chain.head()
  const minimum = head.fields.minimumGasPrice ?? 0n
  const withMargin = (minimum * node.settings.gasPriceFactor) / 1000n
  if (!isFeeMarketWorking(chain, head)) return withMargin
  const price = usualGasPrice(chain, head)
  if (price === null) return minimum
  return price > withMargin ? price : withMargin
}
