import { defineMethod } from '../defineMethod.ts'

/** True when a block is made as soon as there is a transaction. */
export const getAutomine = defineMethod({
  name: 'hardhat_getAutomine',
  aliases: ['anvil_getAutomine'],
  doc: 'Whether a block is made as soon as there is a transaction.',
  params: [],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }) => (await commands.dev.mode()).instant,
})
