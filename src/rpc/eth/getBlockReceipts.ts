import type { Block } from '../../chain/codec/block.ts'
import type { Receipt } from '../../chain/codec/receipt.ts'
import { defineMethod } from '../defineMethod.ts'
import { formatReceipt } from '../format/formatReceipt.ts'
import { blockRef } from '../params/blockSelector.ts'
import { findHeader, isPending } from '../select/resolveBlock.ts'

/** Receipts of all transactions of a block; null when it is unknown or pending (rpc.md §8.3). */
export const getBlockReceipts = defineMethod({
  name: 'eth_getBlockReceipts',
  doc: 'Receipts of all transactions of a block.',
  params: [blockRef()],
  result: { title: 'receipts or null' },
  lane: 'read',
  cost: 10,
  cache: 'head',
  handler: (context, [selector]) => {
    const { chain } = context
    const header = isPending(selector) ? null : findHeader(context, selector)
    const block = header === null ? null : chain.blockByHash(header.hash)
    const receipts = block === null ? null : chain.receipts(block)
    return block === null || receipts === null ? null : format(block, receipts, chain.senders(block))
  },
})

function format(block: Block, receipts: readonly Receipt[], senders: readonly Buffer[]) {
  return block.transactions.flatMap((_, index) => formatReceipt(block, receipts, senders, index) ?? [])
}
