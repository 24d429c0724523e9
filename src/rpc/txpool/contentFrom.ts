import { parseTransaction } from '../../chain/codec/transactionDecoder.ts'
import type { EncodedTransaction } from '../../txpool/encodedTransaction.ts'
import { defineMethod } from '../defineMethod.ts'
import { pendingTransactionsText } from '../format/transactionAnswer.ts'
import { RawJson } from '../json.ts'
import { address } from '../params/hex.ts'

/**
 * Transactions of one sender in the pool, as geth has them: each as eth_getTransactionByHash has it, not as
 * txpool_content (rpc.md §3.11, decisions.md D50).
 */
export const contentFrom = defineMethod({
  name: 'txpool_contentFrom',
  doc: 'Transactions of one sender in the pool, by nonce.',
  params: [address()],
  result: { type: 'object' },
  lane: 'read',
  cost: 20,
  cache: 'none',
  handler: async ({ pool }, [sender]) => {
    const [pending, queued] = await Promise.all([pool.pending(), pool.queued()])
    return new RawJson(`{"pending":${ofSender(pending, sender)},"queued":${ofSender(queued, sender)}}`)
  },
})

/** JSON text of nonce → transaction: a sender has no two of a nonce. */
function ofSender(entries: readonly EncodedTransaction[], sender: Buffer): string {
  const own = entries.filter((entry) => entry.sender.equals(sender))
  const members = own.map(
    (entry) => `"${parseTransaction(entry.encoded).nonce}":${pendingTransactionsText([entry])}`,
  )
  return `{${members.join(',')}}`
}
