import { defineMethod } from '../defineMethod.ts'
import { findBlock } from '../format/blockAnswer.ts'
import { quantity } from '../format/quantity.ts'
import { blockId } from '../params/blockSelector.ts'
import { blockNotFound, isPending } from '../select/resolveBlock.ts'

/** Number of transactions of a block by its number or tag; at `pending` those of the pool. */
export const getBlockTransactionCountByNumber = defineMethod({
  name: 'eth_getBlockTransactionCountByNumber',
  doc: 'Number of transactions of a block by its number or tag.',
  params: [blockId()],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'read',
  cost: 1,
  cache: 'head',
  handler: async (context, [selector]) => {
    if (isPending(selector)) return quantity((await context.pool.pending()).length)
    const block = findBlock(context, selector)
    if (block === null) throw blockNotFound(selector)
    return quantity(block.transactions.length)
  },
})
