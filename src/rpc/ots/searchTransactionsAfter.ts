import { defineMethod } from '../defineMethod.ts'
import { boundedNumber } from '../params/boundedNumber.ts'
import { address } from '../params/hex.ts'
import { MAX_PAGE, searchAddress } from './addressSearch.ts'

/** Transactions of an address above a block, the newest first; of block 0 those from the beginning on. */
export const searchTransactionsAfter = defineMethod({
  name: 'ots_searchTransactionsAfter',
  doc: 'Transactions that an address has to do with above a block, those next to it, the newest first.',
  params: [
    address(),
    boundedNumber('block number', Number.MAX_SAFE_INTEGER),
    boundedNumber('page size', MAX_PAGE),
  ],
  result: { title: 'page' },
  lane: 'trace',
  cost: 200,
  cache: 'none',
  audience: 'dev',
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
