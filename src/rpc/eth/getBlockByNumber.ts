import { defineMethod } from '../defineMethod.ts'
import { blockAnswer } from '../format/blockAnswer.ts'
import { blockId } from '../params/blockSelector.ts'
import { flag } from '../params/number.ts'
import { optional } from '../params/param.ts'
import { findHeader } from '../select/resolveBlock.ts'

/** A block by its number or tag; null when there is none. */
export const getBlockByNumber = defineMethod({
  name: 'eth_getBlockByNumber',
  doc: 'A block by its number or tag.',
  params: [blockId({ pending: false }), optional(flag('fullTransactions'), false)],
  result: { title: 'block or null' },
  lane: 'read',
  cost: 3,
  cache: 'head',
  ready: 'block',
  handler: (context, [block, full]) => {
    const header = findHeader(context, block)
    return header === null ? null : blockAnswer(context, header.hash, full)
  },
})
