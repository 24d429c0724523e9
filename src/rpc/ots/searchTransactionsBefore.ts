import { defineMethod } from '../defineMethod.ts'
import { boundedNumber } from '../params/boundedNumber.ts'
import { address } from '../params/hex.ts'
import { MAX_PAGE, searchAddress } from './addressSearch.ts'

/** Transactions of an address below a block, the newest first; of block 0 from the head on. */
export const searchTransactionsBefore = defineMethod({
  name: 'ots_searchTransactionsBefore',
  doc: 'Transactions that an address has to do with below a block, the newest first; 0 begins at the head.',
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
    const head = context.chain.head().number
    const from = block === 0 ? head : Math.min(block - 1, head)
    const { txs, receipts, isAtEnd } = searchAddress(context, { address: account, from, step: -1, size })
    return { txs, receipts, firstPage: from === head, lastPage: isAtEnd }
  },
})
