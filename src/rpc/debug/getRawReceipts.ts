import { encodeReceipt } from '../../chain/codec/receipt.ts'
import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { blockRef } from '../params/blockSelector.ts'
import { isPending, withPending } from '../select/resolveBlock.ts'
import { atStoredBlock } from '../tracers/traceBlock.ts'

/** RLP of each receipt of a block; null when the block is unknown. */
export const getRawReceipts = defineMethod({
  name: 'debug_getRawReceipts',
  doc: 'RLP of the receipts of a block.',
  params: [blockRef()],
  result: { title: 'RLP texts as hex, or null' },
  lane: 'read',
  cost: 3,
  cache: 'none',
  handler: (context, [selector]) => {
    if (isPending(selector)) {
      return withPending(context, ({ receipts }) => receipts.map((receipt) => toHex(encodeReceipt(receipt))))
    }
    return atStoredBlock(
      context,
      selector,
      (block) => context.chain.receipts(block)?.map((receipt) => toHex(encodeReceipt(receipt))) ?? [],
    )
  },
})
