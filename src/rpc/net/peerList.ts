import { defineMethod } from '../defineMethod.ts'

/** One text per known peer. */
export const peerList = defineMethod({
  name: 'net_peerList',
  doc: 'One text per known peer.',
  params: [],
  result: { type: 'array' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: (context) => context.status().peers,
})
