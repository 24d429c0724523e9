import { defineMethod } from '../defineMethod.ts'
import { findBlock } from '../format/blockAnswer.ts'
import { quantity } from '../format/quantity.ts'
import { blockId } from '../params/blockSelector.ts'
import { asksForPending, blockNotFound, withPending } from '../select/resolveBlock.ts'

const NAME = 'eth_getUncleCountByBlockNumber'

/** Number of uncles of a block by its number or tag. */
export const getUncleCountByBlockNumber = defineMethod({
  name: NAME,
  doc: 'Number of uncles of a block by its number or tag.',
  params: [blockId()],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'read',
  cost: 1,
  cache: 'head',
  handler: (context, [selector]) => {
    if (asksForPending(context, selector, NAME)) {
      return withPending(context, ({ block }) => quantity(block.uncles.length))
    }
    const block = findBlock(context, selector)
    if (block === null) throw blockNotFound(selector)
    return quantity(block.uncles.length)
  },
})
