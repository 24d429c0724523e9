import { defineMethod } from '../defineMethod.ts'
import { SEARCH_METHOD, searchAddress } from './addressSearch.ts'

/** Transactions of an address above a block, the newest first; of block 0 those from the beginning on. */
export const searchTransactionsAfter = defineMethod({
  ...SEARCH_METHOD,
  name: 'ots_searchTransactionsAfter',
  doc: 'Transactions that an address has to do with above a block, those next to it, the newest first.',
  handler: (context, [account, block, size]) => {
    const search = { address: account, from: block + 1, step: 1, size } as const
    const { txs, receipts, isAtEnd } = searchAddress(context, search)
    return {
      txs: txs.toReversed(),
      receipts: receipts.toReversed(),
      firstPage: isAtEnd,
      lastPage: block === 0,
    }
  },
})
