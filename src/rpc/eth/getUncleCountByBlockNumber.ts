import { defineMethod } from '../defineMethod.ts'
import { findBlock } from '../format/blockAnswer.ts'
import { quantity } from '../format/quantity.ts'
import { blockId } from '../params/blockSelector.ts'
import { blockNotFound } from '../select/resolveBlock.ts'

/** Number of uncles of a block by its number or tag. */
export const getUncleCountByBlockNumber = defineMethod({
  name: 'eth_getUncleCountByBlockNumber',
  doc: 'Number of uncles of a block by its number or tag.',
  params: [blockId({ pending: false })],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'read',
  cost: 1,
  cache: 'head',
  handler: (context, [selector]) => {
    const block = findBlock(context, selector)
    if (block === null) throw blockNotFound(selector)
    return quantity(block.uncles.length)
  },
})
