import { encodeList } from '../../chain/codec/rlpWriter.ts'
import { writePendingTransactions, writeTransactionAt } from '../../native/objectText.ts'
import type { EncodedTransaction } from '../../txpool/encodedTransaction.ts'
import type { NodeContext } from '../context.ts'
import { RawBytes } from '../json.ts'

/** A transaction of a block by its index; null when there is none. */
export function transactionAnswer({ chain }: NodeContext, hash: Buffer, index: number): RawBytes | null {
  const number = chain.heightOf(hash)
  if (number === null) return null
  const block = { number, hash }
  const body = chain.storedBody(block)
  const senders = chain.storedSenders(block)
  if (body === null || senders === null) return null
  const text = writeTransactionAt({ ...block, body, senders }, index)
  return text === null ? null : new RawBytes(text)
}

/** A transaction of the pool. */
export function pendingTransactionAnswer(pooled: EncodedTransaction): RawBytes {
  return new RawBytes(pendingTransactionsText([pooled]))
}

/** Transactions of the pool as JSON objects with commas between. */
export function pendingTransactionsText(pooled: readonly EncodedTransaction[]): Buffer {
  return writePendingTransactions(
    encodeList(pooled.map(({ encoded }) => encoded)),
    Buffer.concat(pooled.map(({ sender }) => sender)),
  )
}
