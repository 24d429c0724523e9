import { defineMethod } from '../defineMethod.ts'
import { findBlock } from '../format/blockAnswer.ts'
import { uncleAnswer } from '../format/uncleAnswer.ts'
import { blockId } from '../params/blockSelector.ts'
import { index } from '../params/number.ts'
import { asksForPending, withPending } from '../select/resolveBlock.ts'

const NAME = 'eth_getUncleByBlockNumberAndIndex'

/** An uncle by the number of the block that names it; null when there is none. */
export const getUncleByBlockNumberAndIndex = defineMethod({
  name: NAME,
  doc: 'An uncle of a block by its number or tag.',
  params: [blockId(), index()],
  result: { title: 'block or null' },
  lane: 'read',
  cost: 2,
  cache: 'head',
  handler: (context, [selector, position]) => {
    if (asksForPending(context, selector, NAME)) {
      return withPending(context, ({ block }) => uncleAnswer(context, block, position))
    }
    return uncleAnswer(context, findBlock(context, selector), position)
  },
})
