import { defineMethod } from '../defineMethod.ts'

/** Goes back to genesis; snapshots are forgotten. */
export const reset = defineMethod({
  name: 'evm_reset',
  doc: 'Goes back to genesis; snapshots and the pool are gone.',
  params: [],
  result: { type: 'null' },
  lane: 'chain',
  cost: 20,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }) => {
    await commands.dev.reset()
    return null
  },
})
