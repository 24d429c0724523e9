import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { findBlock } from '../format/blockAnswer.ts'
import { rawTransactionAt } from '../format/rawTransactionAnswer.ts'
import { blockId } from '../params/blockSelector.ts'
import { index } from '../params/number.ts'
import { asksForPending } from '../select/resolveBlock.ts'

const NAME = 'eth_getRawTransactionByBlockNumberAndIndex'

/**
 * RLP of a transaction by the number of its block and its position; null when there is none. At `pending` that of the
 * pool's list (decisions.md D50).
 */
export const getRawTransactionByBlockNumberAndIndex = defineMethod({
  name: NAME,
  doc: 'RLP of a transaction by the number or tag of its block and its position.',
  params: [blockId(), index()],
  result: { title: 'RLP as hex, or null' },
  lane: 'read',
  cost: 2,
  cache: 'head',
  handler: async (context, [selector, position]) => {
    if (!asksForPending(context, selector, NAME)) {
      return rawTransactionAt(findBlock(context, selector), position)
    }
    const pooled = (await context.pool.pending())[position]
    return pooled === undefined ? null : toHex(pooled.encoded)
  },
})
