import { defineMethod } from '../defineMethod.ts'
import { anyTransactionHash } from '../params/transactionHash.ts'

/** Takes a transaction out of the pool; false when it is not there. */
export const dropTransaction = defineMethod({
  name: 'hardhat_dropTransaction',
  aliases: ['anvil_dropTransaction'],
  doc: 'Takes a transaction out of the pool; false when it is not there.',
  params: [anyTransactionHash()],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 2,
  cache: 'none',
  audience: 'dev',
  handler: ({ commands }, [hash]) => commands.dev.dropTransactions({ hash }),
})
