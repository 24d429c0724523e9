import { toHex } from '../../util/bytes.ts'
import type { PendingBlock } from '../context.ts'
import type { Json } from '../json.ts'
import { formatDecodedBlock } from './formatBlock.ts'
import { formatTransaction, NO_SENDER } from './formatTransaction.ts'
import { headerAnswer } from './headerAnswer.ts'

/** What is not known before a block is sealed (rpc.md §3.3, decisions.md D28, D38). */
const UNKNOWN = { number: null, hash: null, nonce: null, logsBloom: null, miner: null }

/**
 * The block that would be made now, with its transactions as objects without a place in the chain, or as hashes. Its
 * total difficulty is zero, as in the reference.
 */
export function pendingBlockAnswer(
  { block, senders }: PendingBlock,
  full: boolean,
): { readonly [key: string]: Json } {
  return {
    ...formatDecodedBlock(block, 0n),
    ...UNKNOWN,
    transactions: block.transactions.map((transaction, index) =>
      full ? formatTransaction(transaction, senders[index] ?? NO_SENDER, null) : toHex(transaction.hash),
    ),
  }
}

/** Its header. */
export function pendingHeaderAnswer({ block }: PendingBlock): { readonly [key: string]: Json } {
  return { ...headerAnswer(block.header), ...UNKNOWN }
}
