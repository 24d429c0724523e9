import { defineMethod } from '../defineMethod.ts'
import { headerAnswer } from '../format/headerAnswer.ts'
import { blockId } from '../params/blockSelector.ts'
import { findHeader } from '../select/resolveBlock.ts'

/** Otterscan asks for a header under this name to see that the node has what it needs; it does not use the answer. */
export const erigonHeaderByNumber = defineMethod({
  name: 'erigon_getHeaderByNumber',
  doc: 'Header of a block by its number or tag, under the name that Otterscan asks for.',
  params: [blockId({ decimal: true })],
  result: { title: 'header or null' },
  lane: 'read',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: (context, [selector]) => {
    const header = findHeader(context, selector)
    return header === null ? null : headerAnswer(header)
  },
})
