import { defineMethod } from '../defineMethod.ts'
import { blockId } from '../params/blockSelector.ts'
import { findHeader } from '../select/resolveBlock.ts'
import { blockDetails } from './blockDetails.ts'

/** A block without its transactions, with their number and their fees; null when there is none. */
export const getBlockDetails = defineMethod({
  name: 'ots_getBlockDetails',
  doc: 'A block by its number or tag without its transactions, with their number and fees.',
  params: [blockId({ decimal: true })],
  result: { title: 'details or null' },
  lane: 'read',
  cost: 5,
  cache: 'none',
  audience: 'dev',
  handler: (context, [selector]) => {
    const header = findHeader(context, selector)
    return header === null ? null : blockDetails(context, header.hash)
  },
})
