import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { flag } from '../params/number.ts'
import { optional } from '../params/param.ts'

/**
 * The chain as bytes for anvil_loadState: its blocks, from which a node makes the same states, and those that users
 * edited. Whether older states are wanted, as anvil asks, does not matter: they always come with the blocks.
 */
export const dumpState = defineMethod({
  name: 'anvil_dumpState',
  aliases: ['hardhat_dumpState'],
  doc: 'The chain with its edits as bytes for anvil_loadState of a Rhizome.',
  params: [optional(flag('preserveHistoricalStates'), false)],
  result: { type: 'string' },
  lane: 'chain',
  cost: 100,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }) => toHex(await commands.dev.dumpState()),
})
