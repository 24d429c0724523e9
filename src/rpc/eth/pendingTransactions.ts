import { defineMethod } from '../defineMethod.ts'
import { pendingTransactionsText } from '../format/transactionAnswer.ts'
import { RawBytes, RawElements } from '../json.ts'

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
    const shown = pending.filter(
      ({ sender }) => own.has(sender.toString('hex')) || wallet.signer(sender) !== null,
    )
    return new RawElements(new RawBytes(pendingTransactionsText(shown)))
  },
})
