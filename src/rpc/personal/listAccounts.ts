import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { personalWallet, walletAnswer } from '../guards/wallet.ts'

/** Addresses that the node holds a key for; key files added by hand since are found (rpc.md §3.9). */
export const listAccounts = defineMethod({
  name: 'personal_listAccounts',
  doc: 'Addresses that the node holds a key for.',
  params: [],
  result: { type: 'array' },
  lane: 'chain',
  cost: 5,
  cache: 'none',
  audience: 'dev',
  handler: (context) => {
    const wallet = personalWallet(context)
    return walletAnswer(async () => {
      await wallet.refresh()
      return wallet.addresses().map(toHex)
    })
  },
})
