import { defineMethod } from '../defineMethod.ts'
import { findBlock } from '../shared/blockAnswer.ts'
import { blockId } from '../shared/params/blockSelector.ts'
import { index } from '../shared/params/number.ts'
import { uncleAnswer } from '../shared/uncleAnswer.ts'

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
