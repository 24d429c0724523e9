import { defineMethod } from '../defineMethod.ts'

/** Stops making blocks in intervals; evm_setAutomine does so for those that transactions cause. */
export const stopMining = defineMethod({
  name: 'evm_stopMining',
  doc: 'Stops making blocks in intervals; evm_setAutomine does so for those that transactions cause.',
  params: [],
  result: { type: 'null' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }) => {
    await commands.dev.setMining(false)
    return null
  },
})
