import { defineMethod } from '../defineMethod.ts'
import { wideNumber } from '../params/wideNumber.ts'

/** Sets the minimum gas price in wei that blocks move towards, each as far as the rules let it. */
export const setMinGasPrice = defineMethod({
  name: 'hardhat_setMinGasPrice',
  aliases: ['anvil_setMinGasPrice'],
  doc: 'Sets the minimum gas price in wei that blocks move towards, each as far as the rules let it.',
  params: [wideNumber('price', 63)],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [minimumGasPrice]) => {
    await commands.dev.adjustBlocks({ minimumGasPrice })
    return true
  },
})
