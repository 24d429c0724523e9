import { defineMethod } from '../defineMethod.ts'
import { flag } from '../params/number.ts'

/** Switches on or off that a block is made as soon as there is a transaction. */
export const setAutomine = defineMethod({
  name: 'evm_setAutomine',
  doc: 'Switches on or off that a block is made as soon as there is a transaction.',
  params: [flag('on')],
  result: { type: 'null' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [on]) => {
    await commands.dev.setAutomine(on)
    return null
  },
})
