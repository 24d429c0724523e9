import { defineMethod } from '../defineMethod.ts'
import { address } from '../params/hex.ts'
import { wideNumber } from '../params/wideNumber.ts'

/** Sets the balance of an account. */
export const setBalance = defineMethod({
  name: 'hardhat_setBalance',
  aliases: ['anvil_setBalance', 'evm_setAccountBalance'],
  doc: 'Sets the balance of an account at the head. The chain can then no longer be exported.',
  params: [address(), wideNumber('balance', 256)],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 10,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [account, balance]) => {
    await commands.dev.editAccount({ address: account, balance })
    return true
  },
})
