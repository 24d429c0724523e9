import { defineMethod } from '../defineMethod.ts'
import { SEARCH_METHOD, searchAddress } from './addressSearch.ts'

/** Transactions of an address below a block, the newest first; of block 0 from the head on. */
export const searchTransactionsBefore = defineMethod({
  ...SEARCH_METHOD,
  name: 'ots_searchTransactionsBefore',
  doc: 'Transactions that an address has to do with below a block, the newest first; 0 begins at the head.',
  handler: (context, [account, block, size]) => {
    const head = context.chain.head().number
    const from = block === 0 ? head : Math.min(block - 1, head)
    const { txs, receipts, isAtEnd } = searchAddress(context, { address: account, from, step: -1, size })
    return { txs, receipts, firstPage: from === head, lastPage: isAtEnd }
  },
})
