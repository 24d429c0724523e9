import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'

/** Remembers the chain as it is. */
export const snapshot = defineMethod({
  name: 'evm_snapshot',
  aliases: ['anvil_snapshot'],
  doc: 'Remembers the chain as it is; evm_revert goes back to it.',
  params: [],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'chain',
  cost: 2,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }) => quantity(await commands.dev.snapshot()),
})
