import { defineMethod } from '../defineMethod.ts'
import { formatTransaction } from '../format/formatTransaction.ts'

/** Pending transactions whose sender's key is in the wallet; none without one (rpc.md §3.4). */
export const pendingTransactions = defineMethod({
  name: 'eth_pendingTransactions',
  doc: 'Pending transactions of the accounts of this node.',
  params: [],
  result: { type: 'array' },
  lane: 'chain',
  cost: 5,
  cache: 'none',
  handler: async ({ pool, wallet, node }) => {
    if (wallet === null || node.settings.hosted) return []
    const own = new Set(wallet.addresses().map((address) => address.toString('hex')))
    const pending = await pool.pending()
    return pending
      .filter(({ sender }) => own.has(sender.toString('hex')))
      .map(({ transaction, sender }) => formatTransaction(transaction, sender, null))
  },
})
