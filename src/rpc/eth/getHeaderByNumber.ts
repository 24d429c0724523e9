import { defineMethod } from '../defineMethod.ts'
import { headerAnswer } from '../format/headerAnswer.ts'
import { pendingHeaderAnswer } from '../format/pendingBlockAnswer.ts'
import { blockId } from '../params/blockSelector.ts'
import { asksForPending, findHeader, withPending } from '../select/resolveBlock.ts'

const NAME = 'eth_getHeaderByNumber'

/** Header of a block by its number or tag; null when there is none (decisions.md D50). */
export const getHeaderByNumber = defineMethod({
  name: NAME,
  doc: 'Header of a block by its number or tag.',
  params: [blockId()],
  result: { title: 'header or null' },
  lane: 'read',
  cost: 1,
  cache: 'head',
  handler: (context, [selector]) => {
    if (asksForPending(context, selector, NAME)) return withPending(context, pendingHeaderAnswer)
    const header = findHeader(context, selector)
    return header === null ? null : headerAnswer(header)
  },
})
