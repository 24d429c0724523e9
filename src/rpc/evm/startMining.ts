import { defineMethod } from '../defineMethod.ts'

/** Goes on making blocks in intervals. */
export const startMining = defineMethod({
  name: 'evm_startMining',
  doc: 'Goes on making blocks in intervals.',
  params: [],
  result: { type: 'null' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }) => {
    await commands.dev.setMining(true)
    return null
  },
})
