import { defineMethod } from '../defineMethod.ts'

/** True when the node listens for peers or clients: always true when somebody gets an answer, as in the reference. */
export const listening = defineMethod({
  name: 'net_listening',
  doc: 'Whether the node listens for peers or clients.',
  params: [],
  result: { type: 'boolean' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: (context) => context.status().listening,
})
