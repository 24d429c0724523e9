import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'

/** Chain id of signatures that are protected against replay. */
export const chainId = defineMethod({
  name: 'eth_chainId',
  doc: 'Chain id of signatures that are protected against replay.',
  params: [],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'inline',
  cost: 1,
  cache: 'forever',
  handler: ({ node }) => quantity(node.chainId),
})
