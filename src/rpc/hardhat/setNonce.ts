import { defineMethod } from '../defineMethod.ts'
import { address } from '../params/hex.ts'
import { wideNumber } from '../params/wideNumber.ts'

/** Nonces have eight bytes (consensus.md §9.1). */
const NONCE_BITS = 64

/** Sets the nonce of an account. */
export const setNonce = defineMethod({
  name: 'hardhat_setNonce',
  aliases: ['anvil_setNonce', 'evm_setAccountNonce'],
  doc: 'Sets the nonce of an account at the head. The chain can then no longer be exported.',
  params: [address(), wideNumber('nonce', NONCE_BITS)],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 10,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [account, nonce]) => {
    await commands.dev.editAccount({ address: account, nonce })
    return true
  },
})
