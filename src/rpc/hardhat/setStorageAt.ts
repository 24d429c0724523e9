import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { address, data } from '../params/hex.ts'
import { wideNumber } from '../params/wideNumber.ts'

const WORD_BYTES = 32

/** Sets a storage cell of a contract. */
export const setStorageAt = defineMethod({
  name: 'hardhat_setStorageAt',
  aliases: ['anvil_setStorageAt', 'evm_setAccountStorageAt'],
  doc: 'Sets a storage cell of a contract at the head. The chain can then no longer be exported.',
  params: [address(), wideNumber('position', 256), data('value')],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 10,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [account, slot, value]) => {
    if (value.length !== WORD_BYTES) {
      throw invalidParams(`Invalid value: ${WORD_BYTES} bytes expected, ${value.length} found`)
    }
    await commands.dev.editAccount({ address: account, cell: { slot, value } })
    return true
  },
})
