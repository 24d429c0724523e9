import type { Block } from '../../../src/chain/codec/block.ts'
import type { Receipt } from '../../../src/chain/codec/receipt.ts'
import { contractAddressOf } from '../../../src/chain/codec/transaction.ts'
import { quantity } from '../../../src/rpc/format/quantity.ts'
import type { Json } from '../../../src/rpc/json.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { formatLog } from './formatLog.ts'
import { NO_SENDER } from './formatTransaction.ts'

/**
 * Receipt object of one transaction of a block (rpc.md §3.4), or null when there is none.
 * A creation shows its contract address also when it failed.
 */
export function formatReceipt(
  block: Block,
  receipts: readonly Receipt[],
  senders: readonly Buffer[],
  index: number,
): { readonly [key: string]: Json } | null {
  const transaction = block.transactions[index]
  const receipt = receipts[index]
  const sender = senders[index]
  if (transaction === undefined || receipt === undefined || sender === undefined) return null
  let logIndex = 0
  for (let before = 0; before < index; before++) logIndex += receipts[before]?.logs.length ?? 0
  const place = {
    blockNumber: block.number,
    blockHash: block.hash,
    transactionHash: transaction.hash,
    transactionIndex: index,
  }
  return {
    transactionHash: toHex(transaction.hash),
    transactionIndex: quantity(index),
    blockHash: toHex(block.hash),
    blockNumber: quantity(block.number),
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    gasUsed: quantity(receipt.gasUsed),
    contractAddress: transaction.isCreation ? toHex(contractAddressOf(sender, transaction.nonce)) : null,
    logs: receipt.logs.map((log, position) => formatLog(log, { ...place, logIndex: logIndex + position })),
    from: toHex(transaction.isRemasc ? NO_SENDER : sender),
    to: transaction.isCreation ? null : toHex(transaction.fields.to),
    status: receipt.success ? '0x1' : '0x0',
    logsBloom: toHex(receipt.logsBloom),
    type: '0x0',
    effectiveGasPrice: quantity(transaction.gasPrice),
  }
}
