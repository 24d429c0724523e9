import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'

/** Number of active peers. */
export const peerCount = defineMethod({
  name: 'net_peerCount',
  doc: 'Number of active peers.',
  params: [],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: (context) => quantity(context.status().peers.length),
})
