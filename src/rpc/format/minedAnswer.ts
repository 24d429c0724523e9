import type { NodeContext } from '../context.ts'
import { type Json, RawBytes } from '../json.ts'

const ADDRESS_BYTES = 20

/**
 * The transaction of a hash, or its receipt, from where the canonical chain has it; null when it has none. Written
 * from the stored bytes; the text is kept, since it holds as long as the block is canonical.
 */
export function minedAnswer(
  { chain, encodedObjects }: NodeContext,
  subject: 'transaction' | 'receipt',
  hash: Buffer,
): Json | RawBytes {
  const location = chain.locateTransaction(hash)
  if (location === null) return null
  const { blockHash, index } = location
  const kept = encodedObjects.text(subject, hash, blockHash)
  if (kept !== null) return new RawBytes(kept)
  const blockNumber = chain.heightOf(blockHash)
  if (blockNumber === null) return null
  const block = { number: blockNumber, hash: blockHash }
  const body = chain.storedBody(block)
  const senders = chain.storedSenders(block)
  const sender = senders?.subarray(index * ADDRESS_BYTES, (index + 1) * ADDRESS_BYTES)
  if (body === null || sender?.length !== ADDRESS_BYTES) return null
  const transaction = { hash, index, blockHash, blockNumber, body, sender }
  if (subject === 'transaction') return new RawBytes(encodedObjects.writeMined(transaction))
  const receipts = chain.storedReceipts(block)
  return receipts === null ? null : new RawBytes(encodedObjects.writeMined({ ...transaction, receipts }))
}
