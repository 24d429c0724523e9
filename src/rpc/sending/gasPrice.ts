import type { BlockHeader } from '../../chain/codec/header.ts'
import { isFeeMarketWorking, usualGasPrice } from '../../chain/feeMarket.ts'
import { nextMinimumGasPrice } from '../../chain/minimumGasPrice.ts'
import { max } from '../../util/bigint.ts'
import type { NodeContext } from '../context.ts'

/**
 * Price of eth_gasPrice in wei: the head's minimum with a margin, more while blocks are full (consensus.md
 * §9.3), and never less than the floor of the configuration, nor than the next block of this node asks for.
 */
export function suggestGasPrice(context: NodeContext): bigint {
  const { gasPriceFloor } = context.node.settings
  const { priceTarget } = context.status()
  const least = priceTarget == null ? 0n : nextMinimumGasPrice(minimumOf(context.chain.head()), priceTarget)
  return max(max(marketPrice(context), gasPriceFloor), least)
}

function minimumOf(head: BlockHeader): bigint {
  return head.fields.minimumGasPrice ?? 0n
}

function marketPrice({ chain, node }: NodeContext): bigint {
  const head = chain.head()
  const minimum = minimumOf(head)
  const withMargin = (minimum * node.settings.gasPriceFactor) / 1000n
  if (!isFeeMarketWorking(chain, head)) return withMargin
  const price = usualGasPrice(chain, head)
  if (price === null) return minimum
  return price > withMargin ? price : withMargin
}
