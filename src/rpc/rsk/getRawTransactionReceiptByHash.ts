import { parseRLPList } from '../../chain/codec/rlpReader.ts'
import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { anyTransactionHash } from '../params/transactionHash.ts'
import { findTransaction } from '../tracers/traceBlock.ts'

/** RLP of the receipt of a canonical transaction; null when there is none (rpc.md §3.10). */
export const getRawTransactionReceiptByHash = defineMethod({
  name: 'rsk_getRawTransactionReceiptByHash',
  aliases: ['ext_getRawTransactionReceiptByHash'],
  doc: 'RLP of the receipt of a mined transaction.',
  params: [anyTransactionHash()],
  result: { title: 'RLP as hex, or null' },
  lane: 'read',
  cost: 2,
  cache: 'none',
  handler: (context, [transactionHash]) => {
    const found = findTransaction(context, transactionHash)
    const receipts = found === null ? null : context.chain.storedReceipts(found.block)
    if (found === null || receipts === null) return null
    const receipt = parseRLPList(receipts)[found.index]
    return receipt === undefined ? null : toHex(receipt.bytes)
  },
})
