import { defineMethod } from '../defineMethod.ts'
import { findBlock } from '../shared/blockAnswer.ts'
import { blockId } from '../shared/params/blockSelector.ts'
import { quantity } from '../shared/quantity.ts'
import { blockNotFound, isPending } from '../shared/resolveBlock.ts'

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
