import { defineMethod } from '../defineMethod.ts'
import { receiptsAnswer } from '../format/receiptsAnswer.ts'
import { blockRef } from '../params/blockSelector.ts'
import { findHeader, isPending } from '../select/resolveBlock.ts'

/** Receipts of all transactions of a block; null when it is unknown or pending (rpc.md §8.3). */
export const getBlockReceipts = defineMethod({
  name: 'eth_getBlockReceipts',
  doc: 'Receipts of all transactions of a block.',
  params: [blockRef()],
  result: { title: 'receipts or null' },
  lane: 'read',
  cost: 10,
  cache: 'head',
  handler: (context, [selector]) => {
    const header = isPending(selector) ? null : findHeader(context, selector)
    return header === null ? null : receiptsAnswer(context, header)
  },
})
