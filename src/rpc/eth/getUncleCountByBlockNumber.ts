import { defineMethod } from '../defineMethod.ts'
import { findBlock } from '../shared/blockAnswer.ts'
import { blockId } from '../shared/params/blockSelector.ts'
import { quantity } from '../shared/quantity.ts'
import { blockNotFound } from '../shared/resolveBlock.ts'

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
