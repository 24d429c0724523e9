import { defineMethod } from '../defineMethod.ts'
import { blockAnswer } from '../format/blockAnswer.ts'
import { pendingBlockAnswer } from '../format/pendingBlockAnswer.ts'
import { blockId } from '../params/blockSelector.ts'
import { flag } from '../params/number.ts'
import { optional } from '../params/param.ts'
import { asksForPending, findHeader, withPending } from '../select/resolveBlock.ts'

const NAME = 'eth_getBlockByNumber'

/** A block by its number or tag; null when there is none. */
export const getBlockByNumber = defineMethod({
  name: NAME,
  doc: 'A block by its number or tag.',
  params: [blockId(), optional(flag('fullTransactions'), false)],
  result: { title: 'block or null' },
  lane: 'read',
  cost: 3,
  cache: 'head',
  fast: 'block',
  handler: (context, [block, full]) => {
    if (asksForPending(context, block, NAME)) {
      return withPending(context, (pending) => pendingBlockAnswer(pending, full))
    }
    const header = findHeader(context, block)
    return header === null ? null : blockAnswer(context, header.hash, full)
  },
})
