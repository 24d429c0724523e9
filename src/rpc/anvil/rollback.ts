import { defineMethod } from '../defineMethod.ts'
import { boundedNumber } from '../params/boundedNumber.ts'
import { optional } from '../params/param.ts'

/** Rewinds the chain by a number of blocks, one unless given. Their transactions and the pool are dropped. */
export const rollback = defineMethod({
  name: 'anvil_rollback',
  aliases: ['hardhat_rollback'],
  doc: 'Rewinds the chain by a number of blocks.',
  params: [optional(boundedNumber('depth', Number.MAX_SAFE_INTEGER), 1)],
  result: { type: 'null' },
  lane: 'chain',
  cost: 20,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [depth]) => {
    await commands.dev.rollback(depth)
    return null
  },
})
