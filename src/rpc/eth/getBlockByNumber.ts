import { defineMethod } from '../defineMethod.ts'
import { blockAnswer } from '../shared/blockAnswer.ts'
import { blockId } from '../shared/params/blockSelector.ts'
import { flag } from '../shared/params/number.ts'
import { optional } from '../shared/params/param.ts'
import { findHeader } from '../shared/resolveBlock.ts'

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
