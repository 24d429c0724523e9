import { defineMethod } from '../defineMethod.ts'
import { address, data } from '../params/hex.ts'

/** Sets the code of an account. */
export const setCode = defineMethod({
  name: 'hardhat_setCode',
  aliases: ['anvil_setCode', 'evm_setAccountCode'],
  doc: 'Sets the code of an account at the head. The chain can then no longer be exported.',
  params: [address(), data('code')],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 10,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [account, code]) => {
    await commands.dev.editAccount({ address: account, code })
    return true
  },
})
