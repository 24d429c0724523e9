import { defineMethod } from '../defineMethod.ts'

/** Lets the times of blocks follow the clock again; false when they did. */
export const removeBlockTimestampInterval = defineMethod({
  name: 'anvil_removeBlockTimestampInterval',
  aliases: ['hardhat_removeBlockTimestampInterval'],
  doc: 'Lets the times of blocks follow the clock again; false when they did.',
  params: [],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: ({ commands }) => commands.dev.setTimestampInterval(null),
})
