import { defineMethod } from '../defineMethod.ts'

/** True when the node mines. */
export const mining = defineMethod({
  name: 'eth_mining',
  doc: 'Whether the node mines.',
  params: [],
  result: { type: 'boolean' },
  lane: 'inline',
  cost: 1,
  cache: 'head',
  handler: (context) => context.status().mining,
})
