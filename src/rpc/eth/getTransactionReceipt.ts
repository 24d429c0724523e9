import { defineMethod } from '../defineMethod.ts'
import { formatReceipt } from '../shared/formatReceipt.ts'
import { hash } from '../shared/params/hex.ts'

/** Receipt of a transaction of the canonical chain; null when there is none. */
export const getTransactionReceipt = defineMethod({
  name: 'eth_getTransactionReceipt',
  doc: 'Receipt of a mined transaction.',
  params: [hash('transactionHash', 'transaction hash')],
  result: { title: 'receipt or null' },
  lane: 'read',
  cost: 2,
  cache: 'head',
  handler: ({ chain }, [transactionHash]) => {
    const location = chain.locateTransaction(transactionHash)
    if (location === null) return null
    const block = chain.blockByHash(location.blockHash)
    const receipts = chain.receipts(location.blockHash)
    if (block === null || receipts === null) return null
    return formatReceipt(block, receipts, chain.senders(block), location.index)
  },
})
