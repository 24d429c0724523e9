import { defineMethod } from '../defineMethod.ts'
import { findBlock } from '../format/blockAnswer.ts'
import { transactionAnswer } from '../format/transactionAnswer.ts'
import { blockId } from '../params/blockSelector.ts'
import { index } from '../params/number.ts'

/** A transaction by the number of its block and its position; null when there is none. */
export const getTransactionByBlockNumberAndIndex = defineMethod({
  name: 'eth_getTransactionByBlockNumberAndIndex',
  doc: 'A transaction by the number or tag of its block and its position.',
  params: [blockId({ pending: false }), index()],
  result: { title: 'transaction or null' },
  lane: 'read',
  cost: 1,
  cache: 'head',
  handler: (context, [selector, position]) =>
    transactionAnswer(context, findBlock(context, selector), position),
})
