import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'

/** The chain as bytes for anvil_loadState: its blocks, from which a node makes the same state. */
export const dumpState = defineMethod({
  name: 'anvil_dumpState',
  aliases: ['hardhat_dumpState'],
  doc: 'The chain as bytes for anvil_loadState of a Rhizome; refused after edits of the state and impersonation.',
  params: [],
  result: { type: 'string' },
  lane: 'chain',
  cost: 100,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }) => toHex(await commands.dev.dumpState()),
})
