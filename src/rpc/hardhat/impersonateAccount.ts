import { defineMethod } from '../defineMethod.ts'
import { address } from '../params/hex.ts'

/** Lets eth_sendTransaction send from an account whose key nobody has. */
export const impersonateAccount = defineMethod({
  name: 'hardhat_impersonateAccount',
  aliases: ['anvil_impersonateAccount'],
  doc: 'Lets eth_sendTransaction send from any account. The chain can then no longer be exported.',
  params: [address()],
  result: { type: 'boolean' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: ({ impersonated }, [account]) => {
    impersonated.add(account)
    return true
  },
})
