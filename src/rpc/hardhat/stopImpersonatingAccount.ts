import { defineMethod } from '../defineMethod.ts'
import { address } from '../params/hex.ts'

/** Ends what hardhat_impersonateAccount began. */
export const stopImpersonatingAccount = defineMethod({
  name: 'hardhat_stopImpersonatingAccount',
  aliases: ['anvil_stopImpersonatingAccount'],
  doc: 'Ends what hardhat_impersonateAccount began.',
  params: [address()],
  result: { type: 'boolean' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: ({ impersonated }, [account]) => impersonated.remove(account),
})
