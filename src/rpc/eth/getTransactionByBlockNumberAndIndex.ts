import { defineMethod } from '../defineMethod.ts'
import { pendingTransactionAnswer, transactionAnswer } from '../format/transactionAnswer.ts'
import { blockId } from '../params/blockSelector.ts'
import { index } from '../params/number.ts'
import { asksForPending, findHeader } from '../select/resolveBlock.ts'

const NAME = 'eth_getTransactionByBlockNumberAndIndex'

/**
 * A transaction by the number of its block and its position; null when there is none. At `pending` that of the pool's
 * list, which eth_getBlockTransactionCountByNumber counts: the reward of the block is not in it (rpc.md §3.4).
 */
export const getTransactionByBlockNumberAndIndex = defineMethod({
  name: NAME,
  doc: 'A transaction by the number or tag of its block and its position.',
  params: [blockId(), index()],
  result: { title: 'transaction or null' },
  lane: 'read',
  cost: 1,
  cache: 'head',
  handler: async (context, [selector, position]) => {
    if (!asksForPending(context, selector, NAME)) {
      const header = findHeader(context, selector)
      return header === null ? null : transactionAnswer(context, header.hash, position)
    }
    const pooled = (await context.pool.pending())[position]
    return pooled === undefined ? null : pendingTransactionAnswer(pooled)
  },
})
