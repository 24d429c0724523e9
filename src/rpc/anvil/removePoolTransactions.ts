import { defineMethod } from '../defineMethod.ts'
import { address } from '../params/hex.ts'

/** Takes all transactions of an account out of the pool. */
export const removePoolTransactions = defineMethod({
  name: 'anvil_removePoolTransactions',
  aliases: ['hardhat_removePoolTransactions'],
  doc: 'Takes all transactions of an account out of the pool.',
  params: [address()],
  result: { type: 'null' },
  lane: 'chain',
  cost: 2,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [sender]) => {
    await commands.dev.dropTransactions({ sender })
    return null
  },
})
