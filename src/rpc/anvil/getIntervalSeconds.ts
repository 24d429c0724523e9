import { defineMethod } from '../defineMethod.ts'

/** Seconds between blocks that are made in intervals, or the least and the most; null when none are. */
export const getIntervalSeconds = defineMethod({
  name: 'anvil_getIntervalMining',
  doc: 'Seconds from each block to the next, or [least, most]; null when none are made in intervals.',
  params: [],
  result: { title: 'seconds, range or null' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }) => (await commands.dev.mode()).interval,
})
