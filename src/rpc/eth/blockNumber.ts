import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'

/** Number of the newest block. */
export const blockNumber = defineMethod({
  name: 'eth_blockNumber',
  doc: 'Number of the newest block.',
  params: [],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'inline',
  cost: 1,
  cache: 'head',
  handler: ({ chain }) => quantity(chain.head().number),
})
