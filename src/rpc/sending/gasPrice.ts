import { isFeeMarketWorking, usualGasPrice } from '../../chain/feeMarket.ts'
import type { NodeContext } from '../context.ts'

/**
 * Price of eth_gasPrice in wei: the head's minimum with a margin, more while blocks are full (consensus.md
 * §9.3), and never less than the floor of the configuration.
 */
export function suggestGasPrice(context: NodeContext): bigint {
  const price = marketPrice(context)
  const { gasPriceFloor } = context.node.settings
  // biome-ignore lint/complexity/useMathMinMax: these are bigints
  return price > gasPriceFloor ? price : gasPriceFloor
}

function marketPrice({ chain, node }: NodeContext): bigint {
  const head = chain.head()
  const minimum = head.fields.minimumGasPrice ?? 0n
  const withMargin = (minimum * node.settings.gasPriceFactor) / 1000n
  if (!isFeeMarketWorking(chain, head)) return withMargin
  const price = usualGasPrice(chain, head)
  if (price === null) return minimum
  return price > withMargin ? price : withMargin
}
