import { defineMethod } from '../defineMethod.ts'
import { data } from '../params/hex.ts'

/** Goes back to genesis and on to the chain of a dump. */
export const loadState = defineMethod({
  name: 'anvil_loadState',
  aliases: ['hardhat_loadState'],
  doc: 'Replaces the chain by that of anvil_dumpState; of a dump of anvil accounts, code, cells, number and time are taken. Snapshots and the pool are gone.',
  params: [data('state')],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 100,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands, front }, [state]) => {
    await commands.dev.loadState(state, front?.signal?.())
    return true
  },
})
