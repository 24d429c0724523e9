import { defineMethod } from '../defineMethod.ts'
import { mineTarget } from '../params/mineTarget.ts'
import { optional } from '../params/param.ts'

/** Mines on the head: one block, at a time when one is given; Foundry's form names a number of blocks, too. */
export const mine = defineMethod({
  name: 'evm_mine',
  doc: 'Mines on the head: one block, or as many as are asked for, the first at a time that may be given.',
  params: [optional(mineTarget(), {})],
  result: { type: 'null' },
  lane: 'chain',
  cost: 10,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands, front }, [request]) => {
    await commands.mine(request, front?.signal?.())
    return null
  },
})
