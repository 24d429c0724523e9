import { defineMethod } from '../defineMethod.ts'
import { findBlock } from '../format/blockAnswer.ts'
import { uncleAnswer } from '../format/uncleAnswer.ts'
import { blockId } from '../params/blockSelector.ts'
import { index } from '../params/number.ts'

/** An uncle by the number of the block that names it; null when there is none. */
export const getUncleByBlockNumberAndIndex = defineMethod({
  name: 'eth_getUncleByBlockNumberAndIndex',
  doc: 'An uncle of a block by its number or tag.',
  params: [blockId({ pending: false }), index()],
  result: { title: 'block or null' },
  lane: 'read',
  cost: 2,
  cache: 'head',
  handler: (context, [selector, position]) => uncleAnswer(context, findBlock(context, selector), position),
})
