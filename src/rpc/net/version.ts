import { defineMethod } from '../defineMethod.ts'

/** Chain id as decimal text. */
export const version = defineMethod({
  name: 'net_version',
  doc: 'Chain id as decimal text.',
  params: [],
  result: { type: 'string' },
  lane: 'inline',
  cost: 1,
  cache: 'forever',
  handler: ({ node }) => String(node.chainId),
})
