import { defineMethod } from '../defineMethod.ts'

/** Empties the pool. */
export const dropAllTransactions = defineMethod({
  name: 'anvil_dropAllTransactions',
  aliases: ['hardhat_dropAllTransactions'],
  doc: 'Empties the pool.',
  params: [],
  result: { type: 'null' },
  lane: 'chain',
  cost: 2,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }) => {
    await commands.dev.dropTransactions({})
    return null
  },
})
