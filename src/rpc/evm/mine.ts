import { defineMethod } from '../defineMethod.ts'

/** Mines one block on the head. */
export const mine = defineMethod({
  name: 'evm_mine',
  doc: 'Mines one block on the head.',
  params: [],
  result: { type: 'null' },
  lane: 'chain',
  cost: 10,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }) => {
    await commands.mine()
    return null
  },
})
