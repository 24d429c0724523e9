import { defineMethod } from '../defineMethod.ts'
import { address } from '../params/hex.ts'

/** Sets the account that is paid for blocks from the next one on. */
export const setCoinbase = defineMethod({
  name: 'hardhat_setCoinbase',
  aliases: ['anvil_setCoinbase'],
  doc: 'Sets the account that is paid for blocks from the next one on.',
  params: [address()],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [coinbase]) => {
    await commands.dev.adjustBlocks({ coinbase })
    return true
  },
})
