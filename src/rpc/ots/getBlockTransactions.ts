import { fromHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { blockId } from '../params/blockSelector.ts'
import { boundedNumber } from '../params/boundedNumber.ts'
import { findHeader } from '../select/resolveBlock.ts'
import { MAX_PAGE } from './addressSearch.ts'
import { otterscanBlock, receiptWithTime, withoutInput } from './otterscanForms.ts'

/**
 * A page of the transactions of a block with their receipts, in the order of the block. As with Erigon the first page
 * has the last ones, which Otterscan shows first.
 */
export const getBlockTransactions = defineMethod({
  name: 'ots_getBlockTransactions',
  doc: 'A page of the transactions of a block, from its end, and their receipts without logs.',
  params: [
    blockId({ decimal: true }),
    boundedNumber('page number', Number.MAX_SAFE_INTEGER),
    boundedNumber('page size', MAX_PAGE),
  ],
  result: { title: 'page or null' },
  lane: 'read',
  cost: 20,
  cache: 'none',
  audience: 'dev',
  handler: (context, [selector, page, size]) => {
    const header = findHeader(context, selector)
    const found = header === null ? null : otterscanBlock(context, header.hash)
    if (found === null) return null
    const { block, transactions, timestamp } = found
    const end = Math.max(0, transactions.length - page * size)
    const shown = transactions.slice(Math.max(0, end - size), end)
    return {
      fullblock: { ...block, transactions: shown.map(withoutInput) },
      receipts: shown.map(({ hash }) => ({
        ...receiptWithTime(context, fromHex(String(hash)), timestamp),
        logs: null,
        logsBloom: null,
      })),
    }
  },
})
