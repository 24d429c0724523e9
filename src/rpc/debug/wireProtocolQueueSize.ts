import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'

/** Messages of peers that wait to be handled (rpc.md §3.13): none, they are handled as they come. */
export const wireProtocolQueueSize = defineMethod({
  name: 'debug_wireProtocolQueueSize',
  doc: 'Number of messages of peers that wait to be handled.',
  params: [],
  result: { type: 'string' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: () => quantity(0),
})
