import { defineMethod } from '../defineMethod.ts'

/** Whether the node listens for peers. */
export const listening = defineMethod({
  name: 'net_listening',
  doc: 'Whether the node listens for peers.',
  params: [],
  result: { type: 'boolean' },
  lane: 'inline',
  cost: 1,
  cache: 'head',
  handler: (context) => context.status().listening,
})
