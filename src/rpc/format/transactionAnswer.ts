import type { Block } from '../../chain/codec/block.ts'
import type { NodeContext } from '../context.ts'
import type { Json } from '../json.ts'
import { formatTransaction } from './formatTransaction.ts'

/** A transaction of a block by its position; null when there is none. */
export function transactionAnswer({ chain }: NodeContext, block: Block | null, index: number): Json {
  const transaction = block?.transactions[index]
  if (block === null || transaction === undefined) return null
  const sender = chain.senders(block)[index]
  if (sender === undefined) return null
  return formatTransaction(transaction, sender, { blockHash: block.hash, blockNumber: block.number, index })
}
