import type { NodeContext } from '../context.ts'
import { quantity } from '../format/quantity.ts'
import type { Json } from '../json.ts'
import { otterscanBlock } from './otterscanForms.ts'

/** Nobody is paid but by the fees of transactions: no coin is issued on this chain. */
const NO_ISSUANCE = { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' }

/** A stored block with its fees, as Otterscan shows it; null when there is none. */
export function blockDetails(context: NodeContext, hash: Buffer): Json {
  const found = otterscanBlock(context, hash)
  if (found === null) return null
  return { block: found.block, issuance: NO_ISSUANCE, totalFees: quantity(found.paidFees) }
}
