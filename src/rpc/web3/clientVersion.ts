import { defineMethod } from '../defineMethod.ts'

/** Name and version of the node. */
export const clientVersion = defineMethod({
  name: 'web3_clientVersion',
  doc: 'Name and version of the node.',
  params: [],
  result: { type: 'string' },
  lane: 'inline',
  cost: 1,
  cache: 'forever',
  handler: ({ node }) => node.clientVersion,
})
